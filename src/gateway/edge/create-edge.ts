import type { FastifyInstance } from 'fastify'
import { createClientAddress, createClientScheme } from '../../platform/client-address.ts'
import type { ConnectionLimits } from '../../platform/connection-limits.ts'
import { createNetworks } from '../../platform/networks.ts'
import type { Counter } from '../counters/counter.ts'
import type { KeyAuthenticator } from '../registry/registry.ts'
import type { ConcurrencyOptions } from './checks/concurrency.ts'
import { createGateway } from './listener.ts'
import { createFailureThrottle } from './failure-throttle.ts'
import { createForwarder } from './forward/forward.ts'
import type { IdentitySigner } from './forward/identity.ts'
import type { Observer } from './observer.ts'
import { createPassingFields } from './forward/passing-fields.ts'
import { createPipeline } from './checks.ts'
import type { Published } from './published.ts'
import { createUploads, type UploadsOptions } from './checks/receive.ts'
import { createRefuse } from './answer/refuse.ts'

export interface EdgeOptions {
  readonly published: () => Published
  readonly registry: KeyAuthenticator
  readonly counter: Counter
  readonly identity: IdentitySigner
  readonly observer: Observer
  /** Origin of the backend. */
  readonly backendUrl: string
  /** The backend returns the request's X-Request-ID, so another id means that the response belongs to another request. */
  readonly backendEchoesRequestId: boolean
  /** Origin of the portal; a function, because a listener on port 0 learns its own only once bound. */
  readonly portalUrl: () => string
  readonly authFailuresPerMinute: number
  readonly connectionLimits: ConnectionLimits
  readonly callLimits: ConcurrencyOptions & Omit<UploadsOptions, 'isListening' | 'monotonic'>
  /** Addresses or CIDRs, already checked. */
  readonly trustedProxies: readonly string[]
  /** Names of request fields that reach the backend in addition to those in the OpenAPI documents. */
  readonly forwardHeaders: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly randomUUID: () => string
}

/** The data path, ready to listen. */
export interface Edge {
  readonly app: FastifyInstance
  /** Stops accepting, lets current calls finish, then closes the connections to the backend. */
  close(): Promise<void>
}

/** Assembles the data path. */
export async function createEdge(options: EdgeOptions): Promise<Edge> {
  const { observer, monotonic, callLimits } = options
  const proxies = createNetworks(options.trustedProxies)
  const refuse = createRefuse({ portalUrl: options.portalUrl })
  const forwarder = createForwarder({
    backendUrl: options.backendUrl,
    identity: options.identity,
    refuse,
    echoesRequestId: options.backendEchoesRequestId,
    passingFields: createPassingFields(options.forwardHeaders),
    monotonic,
    onFailure: (call, refusal, cause) => observer.backendFailed(call, refusal, cause),
  })
  const uploads = createUploads({
    ...callLimits,
    monotonic,
    isListening: () => app.server.listening,
  })
  const checks = createPipeline({
    registry: options.registry,
    failures: createFailureThrottle({ failuresPerMinute: options.authFailuresPerMinute }),
    counter: options.counter,
    concurrency: callLimits,
    uploads,
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
    monotonic,
    randomUUID: options.randomUUID,
  })
  return {
    app,
    async close() {
      await app.close()
      uploads.close()
      await forwarder.close()
    },
  }
}
