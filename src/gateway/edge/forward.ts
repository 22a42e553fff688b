import { Transform } from 'node:stream'
import type { Refusal } from '../../platform/problem.ts'
import { Roster } from '../../platform/roster.ts'
import type { UpstreamRequest } from '../upstream/connection.ts'
import { createPool } from '../upstream/pool.ts'
import { bodyBytesMax, bodyTooLarge } from './body.ts'
import type { Call } from './call.ts'
import { Exchange } from './exchange.ts'
import { requestHead } from './forwarded-headers.ts'
import type { IdentitySigner } from './identity.ts'
import type { Refuse } from './refuse.ts'

/** How often it is looked who has taken too long, and which connections have rested too long. */
const watchMs = 250
const connectionsMax = 256
/** Calls that may wait for a connection. */
export const queueMax = 512

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
  const { backendUrl, identity, refuse, monotonic, onFailure } = options
  const { host } = new URL(backendUrl)
  const pool = createPool({
    url: backendUrl,
    connectionsMax,
    // A moved backend is found again within this time, also under load that never lets a connection idle.
    connectionMsMax: 30_000,
    connectMsMax: 2_000,
    // Shorter than any backend keeps idle connections, so that we do not write into a closing one.
    restMsMax: 4_000,
    restMsCeiling: 30_000,
    monotonic,
  })
  const underway = new Roster<Exchange>()
  const exchangeOptions = { refuse, onFailure, monotonic, underway }
  // One clock for all of them: a timer of its own costs a call more than its place on the roster.
  const watch = setInterval(() => {
    const at = monotonic()
    for (const exchange of underway.all()) exchange.watch(at)
    pool.tidy()
  }, watchMs).unref()

  return {
    forward(call) {
      const { caller, entitlement, operation, fields, hasBody } = call
      const token = identity.sign(entitlement, caller, operation)
      const head = requestHead(call, { path: upstreamPath(call), host, identity: token })
      call.forwardedAt = monotonic()
      const exchange = new Exchange(call, exchangeOptions)
      // RFC 9110, 10.1.1: whoever speaks 1.0 does not know interim answers.
      const awaitsContinue = fields.expect !== undefined && call.request.httpVersion === '1.1'
      if (hasBody && awaitsContinue) call.response.writeContinue()
      exchange.dispatched(pool.dispatch({ head, ...bodyOf(call, exchange) }, exchange))
    },
    hasRoom: () => underway.size < connectionsMax + queueMax,
    async close() {
      await pool.close()
      clearInterval(watch)
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
function bodyOf(
  { request, fields, hasBody }: Call,
  exchange: Exchange,
): Pick<UpstreamRequest, 'body' | 'isChunked'> {
  if (!hasBody) return { body: undefined, isChunked: false }
  if (fields.transferEncoding === undefined) return { body: request, isChunked: false }
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bodyBytesMax) {
        // First, so that the rest of it can be read away.
        request.unpipe(counted)
        exchange.end(bodyTooLarge)
        done(new Error('request body over the limit'))
      } else done(null, chunk)
    },
  })
  // The exchange has ended then, and with it whoever read this.
  counted.on('error', () => undefined)
  return { body: request.pipe(counted), isChunked: true }
}
