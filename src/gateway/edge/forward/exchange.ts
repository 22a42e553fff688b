import type { Socket } from 'node:net'
import { isEncrypted } from '../../../platform/http/http-server.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import { resetConnection } from '../../../platform/http/reset-connection.ts'
import type { Roster, RosterMember } from '../../../platform/roster.ts'
import type { AnswerHandler, UpstreamRequest } from '../../upstream/connection.ts'
import type { Dispatched, Pool } from '../../upstream/pool.ts'
import { UpstreamError } from '../../upstream/upstream-error.ts'
import { type AnswerHead, answerHead } from '../answer/answer-head.ts'
import type { Refuse } from '../answer/refuse.ts'
import type { Call, GrantedCall } from '../call.ts'
import { octetsOf } from '../request/body-pieces.ts'
import type { OperationUse, OperationUses } from './operation-uses.ts'

/** Maximum number of interim responses before the final one. */
const interimAnswersMax = 8
/** Maximum octets of a body that leaves in one piece with its header block. */
const wholeBytesMax = 16_384

/** Milliseconds after which the backend has failed a call. */
export interface ExchangeTimes {
  /** Maximum silence before the first byte of its response. */
  readonly firstByteMs: number
  /** Maximum silence in the middle of its response. */
  readonly idleMs: number
  /** In all, with the wait for a connection. */
  readonly callMs: number
}

/** What all exchanges with one backend have. */
export interface ExchangeOptions {
  readonly refuse: Refuse
  /** Called for failures with their cause; the client sees only the code. */
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly underway: Roster<Exchange>
  readonly times: ExchangeTimes
  readonly uses: Pick<OperationUses, 'add' | 'remove'>
  /** The backend returns the request's X-Request-ID. */
  readonly echoesRequestId: boolean
}

/**
 * One call at the backend. States: waiting (no response) → answered (status known,
 * nothing sent) → streaming (status sent) → ended. Until something was sent, a
 * failure becomes a refusal. From streaming on, it cuts the client's connection,
 * so that the client can see the response is incomplete.
 *
 * `begin` gives the pool this exchange as the handler of the answer, and
 * returns. The call continues in `onHead`, which the connection calls once it
 * has read the header block of the backend's response.
 */
export class Exchange implements AnswerHandler, RosterMember {
  place = -1
  readonly #call: GrantedCall
  readonly #use: OperationUse
  /** Size of the request body. */
  readonly #octets: number
  readonly #options: ExchangeOptions
  #state: 'waiting' | 'answered' | 'streaming' | 'ended' = 'waiting'
  #dispatched: Dispatched | undefined = undefined
  #interim = 0
  #status = 0
  #head: AnswerHead | undefined = undefined
  /** The client accepts no data at the moment. */
  #isFull = false
  /** Whether the backend sent anything since the last check. */
  #isHeard = false
  /** Progress of the request body at the last check. */
  #bodyProgress = 0
  /** Monotonic milliseconds. */
  #quietSince: number

  constructor(call: GrantedCall, use: OperationUse, options: ExchangeOptions) {
    this.#call = call
    this.#use = use
    this.#octets = octetsOf(call.body)
    this.#options = options
    options.uses.add(use, this.#octets)
    this.#quietSince = call.forwardedAt
    options.underway.add(this)
    call.exchange = this
  }

  /** Sends the request; what the backend answers comes later. */
  begin(pool: Pick<Pool, 'dispatch'>, request: UpstreamRequest): void {
    this.#dispatched = pool.dispatch(request, this)
  }

  /** Ends the exchange if it takes too long. Called several times a second. */
  endIfLate(at: number): void {
    const isWaiting = this.#dispatched?.isWaiting === true
    const bodyProgress = this.#dispatched?.bodyProgress ?? 0
    const hasProgressed = bodyProgress !== this.#bodyProgress
    if (this.#isHeard || this.#isFull || isWaiting || hasProgressed) {
      this.#isHeard = false
      this.#bodyProgress = bodyProgress
      this.#quietSince = at
    }
    const { firstByteMs, idleMs, callMs } = this.#options.times
    const quietMsMax = this.#state === 'waiting' ? firstByteMs : idleMs
    const isLate = at - this.#call.forwardedAt >= callMs || at - this.#quietSince >= quietMsMax
    if (isLate) this.#end({ code: 'BACKEND_TIMEOUT' })
  }

  /** The response was sent, or the client disconnected before. */
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
      if (this.#interim > interimAnswersMax) this.#end({ code: 'BACKEND_BAD_RESPONSE' })
      return
    }
    const call = this.#call
    this.#status = status
    this.#head = answerHead(status, fields, call)
    this.#state = 'answered'
    // RFC 9110, 8.6: a 204 must not declare a body; a client that trusted the length would wait for it.
    const isBodyless = status === 204 && this.#head.length > 0
    if (!this.#head.isPlain || isBodyless || this.#isForeign(this.#head))
      this.#end({ code: 'BACKEND_BAD_RESPONSE' })
  }

  onBody(octets: Buffer): boolean {
    if (this.#state === 'answered') {
      const isWhole = octets.length === this.#head?.length && octets.length <= wholeBytesMax
      if (this.#sendHead() && isWhole) {
        this.#call.response.endWith(octets)
        this.#finish()
      }
    }
    if (this.#state !== 'streaming') return true
    this.#isHeard = true
    const { response } = this.#call
    if (response.write(Buffer.from(octets))) return true
    // The rest of the same read: the drain listener is already set.
    if (this.#isFull) return false
    this.#isFull = true
    response.once('drain', () => {
      this.#isFull = false
      this.#dispatched?.resume()
    })
    return false
  }

  onEnd(): void {
    if (this.#state === 'answered' && !this.#sendHead()) return
    if (this.#state === 'ended') return
    this.#finish()
    this.#call.response.end()
  }

  onError(error: Error): void {
    this.#fail(refusalOf(error), error)
  }

  /** Whether the backend's response names another request: the backend, or a hop before it, is out of step. */
  #isForeign({ requestId }: AnswerHead): boolean {
    const { fields, requestId: ours } = this.#call
    if (!this.#options.echoesRequestId || requestId === undefined) return false
    // If the client's id is not a UUID, the backend generates its own.
    const isSent = fields.requestId === undefined || fields.requestId === ours
    return isSent && requestId.toLowerCase() !== ours.toLowerCase()
  }

  /** Ends the exchange for a reason of the gateway itself. */
  #end(reason: Refusal): void {
    if (this.#state === 'ended') return
    this.#dispatched?.abandon()
    this.#fail(reason, new Error(reason.code))
  }

  #fail(refusal: Refusal, cause: Error): void {
    if (this.#state === 'ended') return
    const wasStreaming = this.#state === 'streaming'
    this.#finish()
    if (this.#call.response.destroyed) return
    if (refusal.code.startsWith('BACKEND_')) this.#options.onFailure(this.#call, refusal, cause)
    if (wasStreaming) this.#cut()
    else this.#options.refuse(this.#call, refusal)
  }

  /** Ends a partial response so that it cannot pass for a complete one. */
  #cut(): void {
    const { request, response } = this.#call
    // In a pipeline, earlier responses are still pending, and no octet of this one has been sent.
    if (response.socket === null) response.once('socket', (socket: Socket) => socket.destroySoon())
    // For an HTTP/1.0 client, the end of the connection marks the end of a response without a length.
    else if (request.httpVersion === '1.0' && Number.isNaN(this.#head?.length)) {
      // Node cannot reset a connection with TLS. Destroyed, it ends without close_notify, which is as incomplete (RFC
      // 9112, 9.8).
      if (isEncrypted(response.socket)) response.socket.destroy()
      else resetConnection(response.socket)
    } else response.socket.destroySoon()
  }

  /** @returns whether the response continues */
  #sendHead(): boolean {
    const { response } = this.#call
    try {
      response.writeHead(this.#status, this.#head?.fields ?? [])
    } catch {
      // Node refuses to write one of the fields.
      this.#end({ code: 'BACKEND_BAD_RESPONSE' })
      return false
    }
    this.#state = 'streaming'
    this.#call.firstByteAt = this.#options.monotonic()
    return true
  }

  #finish(): void {
    this.#state = 'ended'
    this.#options.underway.delete(this)
    this.#options.uses.remove(this.#use, this.#octets)
    this.#call.answeredAt = this.#options.monotonic()
  }
}

/** What an error says about the backend. */
function refusalOf(error: Error): Refusal {
  const isUnreachable = error instanceof UpstreamError && error.code === 'UNREACHABLE'
  const code = isUnreachable ? 'BACKEND_UNREACHABLE' : 'BACKEND_BAD_RESPONSE'
  return { code, headers: { 'retry-after': '1' } }
}
