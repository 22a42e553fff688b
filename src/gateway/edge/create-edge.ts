import type { FastifyInstance } from 'fastify'
import { createClientAddress, createClientScheme } from '../../platform/client-address.ts'
import type { ConnectionLimits } from '../../platform/connection-limits.ts'
import { createNetworks } from '../../platform/networks.ts'
import type { Counter } from '../counters/counter.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import { createGateway } from './create-gateway.ts'
import { createFailureThrottle } from './failure-throttle.ts'
import { createForwarder } from './forward.ts'
import type { IdentitySigner } from './identity.ts'
import type { Observer } from './observe.ts'
import { createPipeline } from './pipeline.ts'
import type { Published } from './published.ts'
import { createRefuse } from './refuse.ts'

export interface EdgeOptions {
  readonly published: () => Published
  readonly registry: KeyAuthenticator
  readonly counter: Counter
  readonly identity: IdentitySigner
  readonly observer: Observer
  /** Origin of the backend. */
  readonly backendUrl: string
  /** Origin of the portal; a function, because a listener on port 0 learns its own late. */
  readonly portalUrl: () => string
  readonly authFailuresPerMinute: number
  readonly connectionLimits: ConnectionLimits
  /** Addresses or CIDRs, already checked. */
  readonly trustedProxies: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly randomUUID: () => string
}

/** The data path, built but not listening. */
export interface Edge {
  readonly app: FastifyInstance
  /** Stops accepting, lets calls under way finish, then closes the connections to the backend. */
  close(): Promise<void>
}

/** Puts the data path together from its parts. */
export async function createEdge(options: EdgeOptions): Promise<Edge> {
  const { observer } = options
  const proxies = createNetworks(options.trustedProxies)
  const refuse = createRefuse({ portalUrl: options.portalUrl })
  const forwarder = createForwarder({
    backendUrl: options.backendUrl,
    identity: options.identity,
    refuse,
    monotonic: options.monotonic,
    onFailure: (call, refusal, cause) => observer.backendFailed(call, refusal, cause),
  })
  const checks = createPipeline({
    registry: options.registry,
    failures: createFailureThrottle({ failuresPerMinute: options.authFailuresPerMinute }),
    counter: options.counter,
    hasRoom: forwarder.hasRoom,
    now: options.now,
  })
  const app = await createGateway({
    published: options.published,
    checks,
    forwarder,
    refuse,
    observer,
    clientAddress: createClientAddress(proxies),
    clientScheme: createClientScheme(proxies),
    connectionLimits: options.connectionLimits,
    isProxy: proxies,
    backendUrl: options.backendUrl,
    portalUrl: options.portalUrl,
    monotonic: options.monotonic,
    randomUUID: options.randomUUID,
  })
  return {
    app,
    async close() {
      await app.close()
      await forwarder.close()
    },
  }
}
