import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'
import type { Refusal } from '../../platform/problem.ts'
import { answerHeaders } from './answered-headers.ts'
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
const connectionsMax = 256
/** Calls that may wait for a connection. */
export const queueMax = 512
/** Interim answers a backend may send before its real one. */
const interimAnswersMax = 8

/** Sends admitted calls to the backend and its answers back. */
export interface Forwarder {
  /** Answers the call, whatever happens. */
  forward(call: Call): void
  /** Whether another call would find a place; asked before the call is counted. */
  hasRoom(): boolean
  /** The connections to the backend, for whoever else must use the same. */
  readonly pool: Dispatcher
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
 * Creates the forwarder over one undici pool. One attempt for every method:
 * whether the backend acted is never guessed. TLS to the backend is verified.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { identity, refuse, monotonic, onFailure } = options
  const pool = new Pool(options.backendUrl, {
    connections: connectionsMax,
    pipelining: 1,
    // Shorter than any backend keeps idle connections, so that we do not write into a closing one.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    // A moved backend is found again within this time, also under load that never lets a connection idle.
    clientTtl: 30_000,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
  })
  let underway = 0

  function dispatch(call: Call, token: string): void {
    const hasBody = call.hasBody
    const head = {
      path: upstreamPath(call),
      method: call.operation.method,
      headers: requestHeaders(call, token),
    }
    const exchange = new Exchange(call, {
      refuse,
      onFailure,
      onEnd: () => {
        underway -= 1
        call.answeredAt = monotonic()
      },
    })
    underway += 1
    call.forwardedAt = monotonic()
    const body = hasBody ? bodyOf(call.request, exchange) : null
    if (hasBody && call.request.headers.expect !== undefined) call.response.writeContinue()
    try {
      pool.dispatch({ ...head, body }, exchange)
    } catch (error) {
      exchange.onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  function fail(call: Call, cause: unknown): void {
    const refusal: Refusal = { code: 'INTERNAL_ERROR' }
    onFailure(call, refusal, cause instanceof Error ? cause : new Error(String(cause)))
    refuse(call, refusal)
  }

  return {
    forward(call) {
      identity.sign(call.caller.applicationId, call.operation, (token) => {
        if (typeof token !== 'string') {
          fail(call, token)
          return
        }
        try {
          dispatch(call, token)
        } catch (error) {
          fail(call, error)
        }
      })
    },
    hasRoom: () => underway < connectionsMax + queueMax,
    pool,
    async close() {
      if (!pool.destroyed) await pool.close()
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
function bodyOf(request: IncomingMessage, exchange: Exchange): IncomingMessage | Transform {
  if (request.headers['transfer-encoding'] === undefined) return request
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

interface ExchangeOptions {
  readonly refuse: Refuse
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
  readonly onEnd: () => void
}

/**
 * One request to the backend, as undici's handler. States: waiting (nothing
 * answered) → streaming (status sent) → ended. From waiting a failure becomes a
 * refusal; from streaming it cuts the client's connection, so that a truncated
 * answer can be seen to be one.
 *
 * Uses undici's raw handler methods: the parsed-header form costs an object
 * per answer and joins fields that we pass on as they came.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: Call
  readonly #options: ExchangeOptions
  readonly #total: NodeJS.Timeout
  readonly #onClose: () => void
  #state: 'waiting' | 'streaming' | 'ended' = 'waiting'
  #abort: ((reason?: Error) => void) | undefined = undefined
  #reason: Refusal | undefined = undefined
  #interim = 0
  #isEarly = false

  constructor(call: Call, options: ExchangeOptions) {
    this.#call = call
    this.#options = options
    this.#total = setTimeout(() => this.#timeOut(), totalTimeoutMs)
    this.#onClose = () => this.#clientWentAway()
    call.response.on('close', this.#onClose)
  }

  /** Gives the exchange up for a reason of our own. */
  end(reason: Refusal): void {
    if (this.#state === 'ended') return
    this.#reason = reason
    const abort = this.#abort
    if (abort === undefined) this.onError(new Error(reason.code))
    else abort(new Error(reason.code))
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
    const { response } = this.#call
    // An answer before the whole request: what is still sent belongs to nobody, so the connection ends with it.
    this.#isEarly = !this.#call.request.complete
    if (this.#isEarly) response.shouldKeepAlive = false
    try {
      response.writeHead(statusCode, answerHeaders(rawHeaders, this.#call.answerHeaders))
    } catch {
      // A field that Node refuses to write.
      this.end({ code: 'BACKEND_BAD_RESPONSE' })
      return true
    }
    this.#state = 'streaming'
    response.on('drain', resume)
    return true
  }

  onData(chunk: Buffer): boolean {
    return this.#state === 'streaming' ? this.#call.response.write(chunk) : true
  }

  onComplete(): void {
    if (this.#state === 'ended') return
    this.#finish()
    const { request, response } = this.#call
    if (this.#isEarly) endAfterLinger(request, response)
    else response.end()
  }

  onError(error: Error): void {
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

  /** Whoever is still sending a request has not been kept waiting by the backend. */
  #timeOut(): void {
    this.end({ code: this.#call.request.complete ? 'BACKEND_TIMEOUT' : 'REQUEST_TIMEOUT' })
  }

  #clientWentAway(): void {
    if (this.#state === 'ended') return
    const abort = this.#abort
    if (abort === undefined) this.#finish()
    else abort(new Error('the client went away'))
  }

  #finish(): void {
    this.#state = 'ended'
    clearTimeout(this.#total)
    this.#call.response.off('close', this.#onClose)
    this.#options.onEnd()
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
