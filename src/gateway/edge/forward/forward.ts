// This folder sends granted calls to the backend. Read this file first, then `exchange.ts`, the call at the backend
// until the end of its response. `road.ts` leads calls here, `request-head.ts` and `passing-fields.ts` make the header
// block, `identity.ts` signs who calls, and `operation-uses.ts` shares the room among operations. Connections are in
// `upstream/`.

import type { ApiVersion, Catalogue, Operation } from '../../../catalogue/catalogue.ts'
import type { CallDrill } from '../../../platform/http/drills.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { UpstreamCredentials } from '../../../platform/http/tls.ts'
import type { PoolLoad } from '../../../platform/process/pool-load.ts'
import { Roster } from '../../../platform/roster.ts'
import { backendPathOf } from '../../../platform/settings/sandbox.ts'
import type { Watched } from '../../../platform/settings/watched-files.ts'
import { createPool } from '../../upstream/pool.ts'
import type { Refuse } from '../answer/refuse.ts'
import type { Call, GrantedCall } from '../call.ts'
import { type Backend, type BackendAddresses, createBackends } from './backends.ts'
import { beginDrill } from './begin-drill.ts'
import { Exchange, type ExchangeTimes } from './exchange.ts'
import type { BankDrill, IdentitySigner } from './identity.ts'
import { createOperationUses } from './operation-uses.ts'
import type { PassingFields } from './passing-fields.ts'
import { ForwardedCall, requestHeadParts } from './request-head.ts'

/** Interval at which exchanges are checked for timeouts, and connections for age and idle time. */
const watchMs = 250

/** However long a backend says that it keeps a connection. */
const keepIdleMsCeiling = 30_000

/** How calls get to a backend and back. */
export interface BackendLimits {
  readonly backendConnectMs: number
  readonly backendFirstByteMs: number
  readonly backendIdleMs: number
  readonly backendCallMs: number
  /**
   * Time for which a connection may rest before its next call, unless the
   * backend announces one; 0: each call gets its own.
   */
  readonly backendKeepIdleMs: number
  /** Connections to each backend. */
  readonly backendConnectionsMax: number
  /** Calls that wait for a free connection. */
  readonly backendQueueMax: number
}

/** Sends granted calls to the backend of their API and returns its responses. */
export interface Forwarder {
  /**
   * Always answers the call, whatever the backend does. Throws only before
   * anything was sent, for a fault of the gateway.
   */
  forward(call: GrantedCall): void
  /** Whether there is room for another call of the operation; checked before the call is counted. */
  hasRoom(version: ApiVersion, operation: Operation): boolean
  /** See {@link Backends.load}. */
  load(): ReadonlyMap<string, PoolLoad>
  close(): Promise<void>
}

export interface ForwarderOptions extends BackendAddresses {
  /** What is published now. */
  readonly catalogue: () => Catalogue
  /** Host under which clients reach the gateway, for backends that build links; undefined: as each client names it. */
  readonly publicHost: string | undefined
  readonly limits: BackendLimits
  readonly upstreamTls: Watched<UpstreamCredentials> | undefined
  readonly identity: IdentitySigner
  readonly refuse: Refuse
  /**
   * Every backend returns the request's X-Request-ID, so another id means that
   * the response belongs to another request. (Default: only the bank in this process does)
   */
  readonly echoesRequestId: boolean | undefined
  /** Maximum octets of bodies the process holds at a time. */
  readonly uploadBufferMax: number
  readonly passingFields: PassingFields
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Called for failures with their cause; the client sees only the code. */
  readonly onFailure: (call: Call, refusal: Refusal, cause: Error) => void
}

/**
 * Creates the forwarder. Each backend has a pool of connections and places of
 * its own, even if two are the same machine: a slow API holds up no other. It
 * never guesses whether the backend has acted, so it tries each call once. Only
 * a GET goes out again, if the backend closed the connection before it answered
 * ({@link Pool.dispatch}). TLS to the backend is always verified.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { limits, publicHost, identity, refuse, passingFields, monotonic, onFailure } = options
  const underway = new Roster<Exchange>()
  const bodies = { octets: 0 }
  const times: ExchangeTimes = {
    firstByteMs: limits.backendFirstByteMs,
    idleMs: limits.backendIdleMs,
    callMs: limits.backendCallMs,
  }

  function open(url: string, isBank: boolean): Backend {
    const { origin, host } = new URL(url)
    const uses = createOperationUses({
      underwayMax: limits.backendConnectionsMax + limits.backendQueueMax,
      octetsMax: options.uploadBufferMax,
      bodies,
    })
    const pool = createPool({
      url: origin,
      tls: options.upstreamTls,
      connectionsMax: limits.backendConnectionsMax,
      // A backend that moved to a new address is found within this time, even if load never leaves a connection idle.
      connectionMsMax: 30_000,
      connectMsMax: limits.backendConnectMs,
      idleMsMax: limits.backendKeepIdleMs,
      idleMsCeiling: limits.backendKeepIdleMs === 0 ? 0 : keepIdleMsCeiling,
      monotonic,
    })
    const { echoesRequestId = isBank } = options
    const exchanges = { refuse, onFailure, monotonic, underway, uses, times, echoesRequestId }
    const head = requestHeadParts(host, publicHost)
    return { head, basePath: backendPathOf(url), pool, uses, exchanges }
  }

  const backends = createBackends({ ...options, open })

  // One timer for all exchanges: a separate timer costs more per call than a place on the roster.
  const watch = setInterval(() => {
    const at = monotonic()
    for (const exchange of underway.all()) exchange.endIfLate(at)
    backends.tidy()
  }, watchMs).unref()

  return {
    forward(call) {
      // Destroyed, although its 'close' has not been emitted yet: no client waits, so nothing goes to the backend.
      if (call.request.socket.destroyed) return
      const { caller, version, operation, certificate, drill, entitlement } = call
      const { head, basePath = version.basePath, pool, uses, exchanges } = backends.of(version)
      const use = uses.of(operation)
      const request = new ForwardedCall({
        call,
        head,
        basePath,
        identity: identity.tokenFor(caller, version, certificate, bankDrill(drill), entitlement),
        passes: passingFields(version),
        use,
      })
      call.forwardedAt = monotonic()
      const exchange = new Exchange(call, use, exchanges)
      if (drill === undefined) exchange.begin(pool, request)
      else beginDrill(exchange, { drill, pool, request, times })
    },
    hasRoom: (version, operation) => backends.of(version).uses.hasRoom(operation),
    load: () => backends.load(),
    async close() {
      await backends.close()
      clearInterval(watch)
    },
  }
}

/** The drill that the bank itself answers. */
function bankDrill(drill: CallDrill | undefined): BankDrill | undefined {
  return drill === 'consent-expired' ? drill : undefined
}
