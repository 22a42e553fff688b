import type { Refusal } from '../../platform/problem.ts'
import type { Roster, RosterMember } from '../../platform/roster.ts'
import type { AnswerHandler } from '../upstream/connection.ts'
import type { Dispatched } from '../upstream/pool.ts'
import { type AnswerHead, answerHead } from './answered-headers.ts'
import type { Call } from './call.ts'
import { endAfterLinger } from './linger.ts'
import type { Refuse } from './refuse.ts'

const totalTimeoutMs = 25_000
/** A backend that says nothing for so long has failed the call. */
const quietTimeoutMs = 10_000
/** Interim answers a backend may send before its real one. */
const interimAnswersMax = 8
/** Answers of so many octets at most are sent in one piece with their header block. */
const heldBytesMax = 16_384

/** What exchanges of one forwarder share. */
export interface ExchangeOptions {
  readonly refuse: Refuse
  /** Told of failures with their cause; the client learns only the code. */
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly underway: Roster<Exchange>
}

/**
 * One call at the backend. States: waiting (nothing
 * answered) → held (status known, nothing sent) → streaming (status sent) →
 * ended; an answer without a short declared length is not held. Until something
 * was sent a failure becomes a refusal; from streaming it cuts the client's
 * connection, so that a truncated answer can be seen to be one.
 */
export class Exchange implements AnswerHandler, RosterMember {
  place = -1
  readonly #call: Call
  readonly #options: ExchangeOptions
  #state: 'waiting' | 'held' | 'streaming' | 'ended' = 'waiting'
  #dispatched: Dispatched | undefined = undefined
  #interim = 0
  #isEarly = false
  #status = 0
  #head: AnswerHead | undefined = undefined
  #body: string | undefined = undefined
  /** The client takes no more at present. */
  #isFull = false
  /** Since somebody looked last whether anything is heard. */
  #isHeard = false
  /** Those of the backend's connection when somebody looked last. */
  #drains = 0
  /** Monotonic milliseconds. */
  #quietSince: number

  constructor(call: Call, options: ExchangeOptions) {
    this.#call = call
    this.#options = options
    this.#quietSince = call.forwardedAt
    options.underway.add(this)
    call.exchange = this
  }

  /** The pool has it. */
  dispatched(dispatched: Dispatched): void {
    this.#dispatched = dispatched
  }

  /** Gives the exchange up for a reason of our own. */
  end(reason: Refusal): void {
    if (this.#state === 'ended') return
    this.#dispatched?.abandon()
    this.#fail(reason, new Error(reason.code))
  }

  /** Ends it when it has taken too long. Called a few times a second. */
  watch(at: number): void {
    const { request, forwardedAt } = this.#call
    const isWaiting = this.#dispatched?.isWaiting === true
    // Whoever is still sending a request has not been kept waiting by the backend, unless that does not take it.
    const isSending = !isWaiting && !request.complete && this.#dispatched?.isStuck === false
    const drains = this.#dispatched?.drains ?? 0
    const isTaken = drains !== this.#drains
    if (this.#isHeard || this.#isFull || isWaiting || isSending || isTaken) {
      this.#isHeard = false
      this.#drains = drains
      this.#quietSince = at
    }
    const isLate = at - forwardedAt >= totalTimeoutMs || at - this.#quietSince >= quietTimeoutMs
    if (isLate) this.end({ code: isSending ? 'REQUEST_TIMEOUT' : 'BACKEND_TIMEOUT' })
  }

  /** The answer was sent, or the client went away before. */
  clientClosed(): void {
    if (this.#state === 'ended') return
    this.#dispatched?.abandon()
    this.#finish()
  }

  onHead(status: number, fields: readonly string[]): void {
    if (this.#state !== 'waiting') return
    this.#isHeard = true
    if (status < 200) {
      this.#interim += 1
      if (this.#interim > interimAnswersMax) this.end({ code: 'BACKEND_BAD_RESPONSE' })
      return
    }
    const call = this.#call
    // An answer before the whole request: what is still sent belongs to nobody, so the connection ends with it.
    this.#isEarly = !call.request.complete
    this.#status = status
    this.#head = answerHead(fields, call.answerHeaders)
    this.#state = 'held'
    // RFC 9110, 8.6: a 204 must not declare a body, and who believes the length would wait for one.
    const isBodyless = status === 204 && this.#head.length > 0
    if (!this.#head.isPlain || isBodyless) this.end({ code: 'BACKEND_BAD_RESPONSE' })
    else if (!(this.#head.length <= heldBytesMax)) this.#sendHead()
  }

  onBody(octets: Buffer): boolean {
    if (this.#state === 'held') {
      if (this.#body === undefined && octets.length === this.#head?.length) {
        // As text of one character each, head and body leave in one piece; measured 7 % of a forwarded call.
        this.#body = octets.toString('latin1')
        return true
      }
      this.#sendHead()
    }
    if (this.#state !== 'streaming') return true
    this.#isHeard = true
    const { response } = this.#call
    if (response.write(Buffer.from(octets))) return true
    this.#isFull = true
    response.once('drain', () => {
      this.#isFull = false
      this.#dispatched?.resume()
    })
    return false
  }

  onEnd(): void {
    if (this.#state === 'held' && !this.#sendHead()) return
    if (this.#state === 'ended') return
    this.#finish()
    const { request, response } = this.#call
    const body = this.#body
    if (this.#isEarly && !request.complete) {
      if (body !== undefined) response.write(body, 'latin1')
      endAfterLinger(request, response)
    } else if (body === undefined) response.end()
    else response.end(body, 'latin1')
  }

  onError(error: Error): void {
    this.#fail(refusalOf(error), error)
  }

  #fail(refusal: Refusal, cause: Error): void {
    if (this.#state === 'ended') return
    const wasStreaming = this.#state === 'streaming'
    this.#finish()
    const { request, response } = this.#call
    if (response.destroyed || (request.destroyed && !request.complete)) {
      response.destroy()
      return
    }
    if (refusal.code.startsWith('BACKEND_')) this.#options.onFailure(this.#call, refusal, cause)
    if (wasStreaming) this.#cut()
    else this.#options.refuse(this.#call, refusal)
  }

  /** Ends an answer that has begun, so that it cannot pass for a whole one. */
  #cut(): void {
    const { request, response } = this.#call
    // To whoever speaks 1.0 the end of the connection is the end of an answer without a length.
    const wouldLookWhole = request.httpVersion === '1.0' && Number.isNaN(this.#head?.length)
    if (wouldLookWhole) request.socket.resetAndDestroy()
    else response.destroy()
  }

  /** @returns whether the answer goes on */
  #sendHead(): boolean {
    const { response } = this.#call
    if (this.#isEarly) response.shouldKeepAlive = false
    try {
      const head = this.#head
      if (head?.text === undefined) response.writeHead(this.#status, head?.fields)
      else response.writeWritten(this.#status, head.fields, head.text)
    } catch {
      // A field that Node refuses to write.
      this.end({ code: 'BACKEND_BAD_RESPONSE' })
      return false
    }
    this.#state = 'streaming'
    return true
  }

  #finish(): void {
    this.#state = 'ended'
    this.#options.underway.delete(this)
    this.#call.answeredAt = this.#options.monotonic()
  }
}

const retrySoon = { 'retry-after': '1' }

/** Our own and the system's error codes by what they say about the backend. */
function refusalOf(error: Error): Refusal {
  const code = 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'CONNECT_TIMEOUT':
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
    case 'EMFILE':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { code: 'BACKEND_UNREACHABLE', headers: retrySoon }
    default:
      return isTlsFailure(code)
        ? { code: 'BACKEND_UNREACHABLE', headers: retrySoon }
        : { code: 'BACKEND_BAD_RESPONSE', headers: retrySoon }
  }
}

function isTlsFailure(code: string): boolean {
  return code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.includes('CERT')
}
