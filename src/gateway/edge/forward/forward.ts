import type { Catalogue, Operation } from '../../../catalogue/catalogue.ts'
import type { PoolLoad } from '../../../platform/pool-load.ts'
import type { Refusal } from '../../../platform/problem.ts'
import { Roster } from '../../../platform/roster.ts'
import type { UpstreamCredentials } from '../../../platform/tls.ts'
import type { Watched } from '../../../platform/watched-files.ts'
import { createPool } from '../../upstream/pool.ts'
import type { Refuse } from '../answer/refuse.ts'
import type { Call, GrantedCall, RoutedCall } from '../call.ts'
import { Exchange } from './exchange.ts'
import type { IdentitySigner } from './identity.ts'
import { createOperationLanes } from './operation-lanes.ts'
import type { PassesField } from './passing-fields.ts'
import { requestHead } from './request-head.ts'

/** Interval at which exchanges are checked for timeouts, and connections for age and idle time. */
const watchMs = 250
const connectionsMax = 256
/** Maximum number of calls at the backend or waiting for a connection. */
export const underwayMax = 768

/** Sends granted calls to the backend and returns its responses. */
export interface Forwarder {
  /** Always answers the call, whatever the backend does. Throws only before anything was sent, for a fault of the gateway. */
  forward(call: GrantedCall): void
  /** Whether there is room for another call of the operation; checked before the call is counted. */
  hasRoom(operation: Operation): boolean
  load(): PoolLoad
  close(): Promise<void>
}

export interface ForwarderOptions {
  /** Origin of the backend. */
  readonly backendUrl: string
  readonly upstreamTls: Watched<UpstreamCredentials> | undefined
  readonly identity: IdentitySigner
  readonly refuse: Refuse
  /** The backend returns the request's X-Request-ID. */
  readonly echoesRequestId: boolean
  /** Maximum octets of bodies the process holds at a time. */
  readonly uploadBufferMax: number
  readonly passingFields: (catalogue: Catalogue) => PassesField
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Called for failures with their cause; the client sees only the code. */
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
}

/**
 * Creates the forwarder over one pool of connections. It tries each call once,
 * for every method, because it never guesses whether the backend has acted. TLS
 * to the backend is always verified.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { backendUrl, identity, refuse, passingFields, monotonic, onFailure, echoesRequestId } =
    options
  const { host } = new URL(backendUrl)
  const pool = createPool({
    url: backendUrl,
    tls: options.upstreamTls,
    connectionsMax,
    // A backend that moved to a new address is found within this time, even if load never leaves a connection idle.
    connectionMsMax: 30_000,
    connectMsMax: 2_000,
    // Shorter than the idle timeout of any usual backend, so that the gateway does not write to a closing connection.
    idleMsMax: 4_000,
    idleMsCeiling: 30_000,
    monotonic,
  })
  const underway = new Roster<Exchange>()
  const lanes = createOperationLanes({ underwayMax, octetsMax: options.uploadBufferMax })
  const exchangeOptions = { refuse, onFailure, monotonic, underway, lanes, echoesRequestId }
  // One timer for all exchanges: a separate timer costs more per call than a place on the roster.
  const watch = setInterval(() => {
    const at = monotonic()
    for (const exchange of underway.all()) exchange.endIfLate(at)
    pool.tidy()
  }, watchMs).unref()

  return {
    forward(call) {
      // Destroyed, although its 'close' has not been emitted yet: no client waits, so nothing goes to the backend.
      if (call.request.socket.destroyed) return
      const { caller, version, operation, body, certificate } = call
      const token = identity.tokenFor(caller, version, certificate)
      const passes = passingFields(call.published.catalogue)
      const head = requestHead(call, { path: upstreamPath(call), host, identity: token, passes })
      const lane = lanes.of(operation)
      call.forwardedAt = monotonic()
      new Exchange(call, lane, exchangeOptions).begin(pool, { head, body, lane })
    },
    hasRoom: lanes.hasRoom,
    load: pool.load,
    async close() {
      await pool.close()
      clearInterval(watch)
    },
  }
}

/**
 * The path for the backend, built from the matched operation and its
 * parameters, never from the target. Parameters are canonical segments, so
 * every decoder reads them the same way.
 */
export function upstreamPath(call: RoutedCall): string {
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
