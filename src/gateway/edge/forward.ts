import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { Refusal } from '../../platform/problem.ts'
import { Roster, type RosterMember } from '../../platform/roster.ts'
import { type AnswerHead, answerHead } from './answered-headers.ts'
import { createBackendPool, type PooledHandler } from './backend-pool.ts'
import { bodyBytesMax, bodyTooLarge } from './body.ts'
import type { Call } from './call.ts'
import { requestHeaders } from './forwarded-headers.ts'
import type { IdentitySigner } from './identity.ts'
import { endAfterLinger } from './linger.ts'
import type { Refuse } from './refuse.ts'

const connectTimeoutMs = 2_000
const headersTimeoutMs = 10_000
const idleTimeoutMs = 10_000
const totalTimeoutMs = 25_000
/** How often it is looked who has taken too long. */
const watchMs = 250
const connectionsMax = 256
/** Calls that may wait for a connection. */
export const queueMax = 512
/** Interim answers a backend may send before its real one. */
const interimAnswersMax = 8

/** Sends admitted calls to the backend and its answers back. */
export interface Forwarder {
  /** Answers the call, whatever the backend does. Throws before anything was sent when something of ours is wrong. */
  forward(call: Call): void
  /** Whether another call would find a place; asked before the call is counted. */
  hasRoom(): boolean
  close(): Promise<void>
}

export interface ForwarderOptions {
  /** Origin of the backend. */
  readonly backendUrl: string
  readonly identity: IdentitySigner
  readonly refuse: Refuse
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Told of failures with their cause; the client learns only the code. */
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
}

/**
 * Creates the forwarder over one pool of connections. One attempt for every method:
 * whether the backend acted is never guessed. TLS to the backend is verified.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { identity, refuse, monotonic, onFailure } = options
  const pool = createBackendPool({
    url: options.backendUrl,
    connectionsMax,
    // A moved backend is found again within this time, also under load that never lets a connection idle.
    connectionMsMax: 30_000,
    client: {
      // Shorter than any backend keeps idle connections, so that we do not write into a closing one.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: headersTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    },
    monotonic,
  })
  const underway = new Roster<Exchange>()
  const exchangeOptions = { refuse, onFailure, monotonic, underway }
  // One clock for all of them: a timer of its own costs a call more than its place on the roster.
  const watch = setInterval(() => {
    const at = monotonic()
    for (const exchange of underway.all()) if (exchange.endsAt <= at) exchange.timeOut()
  }, watchMs).unref()

  return {
    forward(call) {
      const { caller, entitlement, operation, fields, hasBody } = call
      const token = identity.sign(entitlement, caller.applicationId, operation)
      const headers = requestHeaders(call, token)
      call.forwardedAt = monotonic()
      const exchange = new Exchange(call, exchangeOptions)
      const body = hasBody ? bodyOf(call, exchange) : null
      // RFC 9110, 10.1.1: whoever speaks 1.0 does not know interim answers.
      const awaitsContinue = fields.expect !== undefined && call.request.httpVersion === '1.1'
      if (hasBody && awaitsContinue) call.response.writeContinue()
      try {
        pool.dispatch(
          { path: upstreamPath(call), method: operation.method, headers, body },
          exchange,
        )
      } catch (error) {
        exchange.onError(error instanceof Error ? error : new Error(String(error)))
      }
    },
    hasRoom: () => underway.size < connectionsMax + queueMax,
    async close() {
      clearInterval(watch)
      await pool.close()
    },
  }
}

/**
 * The path for the backend, made from the matched operation and its
 * parameters, never from the target. The parameters are canonical segments, so
 * they mean the same to every decoder.
 */
export function upstreamPath(call: Call): string {
  let path = ''
  let parameter = 0
  for (const segment of call.operation.segments) {
    if (segment.kind === 'literal') path += `/${segment.text}`
    else {
      path += `/${call.parameters[parameter]}`
      parameter += 1
    }
  }
  return path + call.query
}

/** A declared length is kept by Node's parser; a chunked body is counted while it streams. */
function bodyOf({ request, fields }: Call, exchange: Exchange): IncomingMessage | Transform {
  if (fields.transferEncoding === undefined) return request
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bodyBytesMax) {
        exchange.end(bodyTooLarge)
        done(new Error('request body over the limit'))
      } else done(null, chunk)
    },
  })
  request.on('error', (error) => counted.destroy(error))
  request.on('close', () => {
    if (!request.complete) counted.destroy(new Error('the client went away'))
  })
  return request.pipe(counted)
}

/** What exchanges of one forwarder share. */
interface ExchangeOptions {
  readonly refuse: Refuse
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly underway: Roster<Exchange>
}

/** Answers of so many octets at most are sent in one piece with their header block. */
const heldBytesMax = 16_384

/**
 * One request to the backend, as undici's handler. States: waiting (nothing
 * answered) → held (status known, nothing sent) → streaming (status sent) →
 * ended; an answer without a short declared length is not held. Until something
 * was sent a failure becomes a refusal; from streaming it cuts the client's
 * connection, so that a truncated answer can be seen to be one.
 *
 * Uses undici's raw handler methods: the parsed-header form costs an object
 * per answer and joins fields that we pass on as they came.
 */
class Exchange implements PooledHandler, RosterMember {
  place = -1
  release: () => void = () => undefined
  /** Monotonic milliseconds after which it has taken too long. */
  readonly endsAt: number
  readonly #call: Call
  readonly #options: ExchangeOptions
  #state: 'waiting' | 'held' | 'streaming' | 'ended' = 'waiting'
  #abort: ((reason?: Error) => void) | undefined = undefined
  #reason: Refusal | undefined = undefined
  #interim = 0
  #isEarly = false
  #resume: (() => void) | undefined = undefined
  #status = 0
  #head: AnswerHead | undefined = undefined
  #body: Buffer | undefined = undefined

  constructor(call: Call, options: ExchangeOptions) {
    this.#call = call
    this.#options = options
    this.endsAt = call.forwardedAt + totalTimeoutMs
    options.underway.add(this)
    call.exchange = this
  }

  /** Gives the exchange up for a reason of our own. */
  end(reason: Refusal): void {
    if (this.#state === 'ended') return
    this.#reason = reason
    const abort = this.#abort
    if (abort === undefined) this.#fail(new Error(reason.code))
    else abort(new Error(reason.code))
  }

  /** Whoever is still sending a request has not been kept waiting by the backend. */
  timeOut(): void {
    this.end({ code: this.#call.request.complete ? 'BACKEND_TIMEOUT' : 'REQUEST_TIMEOUT' })
  }

  /** The answer was sent, or the client went away before. */
  clientClosed(): void {
    if (this.#state === 'ended') return
    const abort = this.#abort
    if (abort === undefined) this.#finish()
    else abort(new Error('the client went away'))
  }

  onConnect(abort: (reason?: Error) => void): void {
    if (this.#state === 'ended') abort(new Error('already answered'))
    this.#abort = abort
  }

  onHeaders(statusCode: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (this.#state !== 'waiting') return true
    if (statusCode < 200) {
      this.#interim += 1
      if (this.#interim > interimAnswersMax) this.end({ code: 'BACKEND_BAD_RESPONSE' })
      return true
    }
    const call = this.#call
    // An answer before the whole request: what is still sent belongs to nobody, so the connection ends with it.
    this.#isEarly = !call.request.complete
    this.#resume = resume
    this.#status = statusCode
    this.#head = answerHead(rawHeaders, call.answerHeaders)
    this.#state = 'held'
    if (!(this.#head.length <= heldBytesMax)) this.#sendHead()
    return true
  }

  onData(chunk: Buffer): boolean {
    if (this.#state === 'held') {
      if (this.#body === undefined && chunk.length === this.#head?.length) {
        this.#body = chunk
        return true
      }
      this.#sendHead()
    }
    if (this.#state !== 'streaming') return true
    const { response } = this.#call
    const isTaken = response.write(chunk)
    if (!isTaken && this.#resume !== undefined) response.once('drain', this.#resume)
    return isTaken
  }

  onComplete(): void {
    this.release()
    if (this.#state === 'held' && !this.#sendHead()) return
    if (this.#state === 'ended') return
    this.#finish()
    const { request, response } = this.#call
    const body = this.#body
    if (this.#isEarly && !request.complete) {
      if (body !== undefined) response.write(body)
      endAfterLinger(request, response)
    } else if (body === undefined) response.end()
    // As text of one octet each, head and body leave in one piece; measured 7 % of a forwarded call.
    else response.end(body.toString('latin1'), 'latin1')
  }

  onError(error: Error): void {
    this.release()
    this.#fail(error)
  }

  #fail(error: Error): void {
    if (this.#state === 'ended') return
    const wasStreaming = this.#state === 'streaming'
    this.#finish()
    const { request, response } = this.#call
    const refusal = this.#reason ?? refusalOf(error)
    if (response.destroyed || (request.destroyed && !request.complete)) {
      response.destroy()
      return
    }
    if (refusal.code.startsWith('BACKEND_')) this.#options.onFailure(this.#call, refusal, error)
    if (wasStreaming) response.destroy()
    else this.#options.refuse(this.#call, refusal)
  }

  /** @returns whether the answer goes on */
  #sendHead(): boolean {
    const { response } = this.#call
    if (this.#isEarly) response.shouldKeepAlive = false
    try {
      response.writeHead(this.#status, this.#head?.fields)
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
    // It was never sent, or is about to be: `onConnect` ends it then.
    if (this.#abort === undefined) this.release()
    this.#options.underway.delete(this)
    this.#call.answeredAt = this.#options.monotonic()
  }
}

const retrySoon = { 'retry-after': '1' }

/** Undici's and the system's error codes by what they say about the backend. */
function refusalOf(error: Error): Refusal {
  const code = 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return { code: 'BACKEND_TIMEOUT' }
    case 'UND_ERR_CONNECT_TIMEOUT':
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
