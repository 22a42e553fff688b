import type { FastifyInstance } from 'fastify'
import { createClientAddress } from '../../platform/http/client-address.ts'
import { createClientScheme } from '../../platform/http/client-scheme.ts'
import type { ConnectionLimits } from '../../platform/http/connection-limits.ts'
import { createNetworks } from '../../platform/http/networks.ts'
import { createRefuseSocket } from '../../platform/http/refuse-socket.ts'
import type { ListenerTls, UpstreamCredentials } from '../../platform/http/tls.ts'
import type { PoolLoad } from '../../platform/process/pool-load.ts'
import type { Watched } from '../../platform/settings/watched-files.ts'
import type { KeyAuthenticator } from '../../registry/registry.ts'
import type { Counter } from '../counters/counter.ts'
import { createRefuse } from './answer/refuse.ts'
import { type ChecksOptions, createChecks } from './check-table.ts'
import type { ConcurrencyOptions } from './checks/concurrency.ts'
import type { ClientCertificates } from './client-certificates.ts'
import { createFailureThrottle } from './failure-throttle.ts'
import type { BackendAddresses } from './forward/backends.ts'
import { type BackendLimits, createForwarder } from './forward/forward.ts'
import type { IdentitySigner } from './forward/identity.ts'
import { createPassingFields } from './forward/passing-fields.ts'
import { createListener } from './listener.ts'
import type { Observer } from './observer.ts'
import type { Published } from './published.ts'
import { createRehearse } from './rehearse.ts'
import { createReceiveCall } from './request/receive-call.ts'
import type { Sampler } from './request/trace.ts'
import { createUploads, type UploadsOptions } from './request/uploads.ts'
import { createRunCall } from './run-call.ts'

export interface EdgeOptions extends BackendAddresses {
  readonly published: () => Published
  readonly registry: KeyAuthenticator
  readonly counter: Counter
  readonly identity: IdentitySigner
  /** Undefined: the settings ask for no client certificates, and a client's `Client-Cert` means nothing. */
  readonly certificates: ClientCertificates | undefined
  readonly observer: Observer
  /** Which calls are sampled; undefined: none, because no spans are sent. */
  readonly isTraceSampled?: Sampler | undefined
  /** Whether a sampled `traceparent` samples, too (default: no). */
  readonly followsSampledFlag?: boolean | undefined
  /** TLS of the listener; undefined: plain HTTP. */
  readonly tls?: ListenerTls | undefined
  /** Origin under which clients reach the gateway; undefined: not configured. */
  readonly publicUrl?: string | undefined
  readonly backendLimits: BackendLimits
  /** What the gateway trusts and presents there; undefined: the public authorities, and nothing. */
  readonly upstreamTls?: Watched<UpstreamCredentials> | undefined
  /** See `ForwarderOptions.echoesRequestId`. */
  readonly backendEchoesRequestId: boolean | undefined
  /** Origin of the portal; a function, because a listener on port 0 learns its own only once bound. */
  readonly portalUrl: () => string
  /** What answers drills (`Sandbox-Drill`); undefined: none, because the backend is not the sandbox bank. */
  readonly drills: ChecksOptions['drills']
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

/** How much the data path has to do now. */
export interface EdgeLoad {
  readonly callsUnderWay: number
  /** Octets of request bodies in memory. */
  readonly uploadOctets: number
  /** See `Backends.load`. */
  readonly backends: ReadonlyMap<string, PoolLoad>
}

/** The data path, ready to listen. */
export interface Edge {
  readonly app: FastifyInstance
  load(): EdgeLoad
  /** Stops accepting, lets current calls finish, then closes the connections to the backend. */
  close(): Promise<void>
}

/** The checks that may wait for something. */
const timedChecks = ['authenticate', 'limit']

/**
 * Assembles the data path: what happens between a client's octets and the
 * backend. Begin with `run-call.ts`, which has the life of a call, and
 * `check-table.ts`, the table of what is checked. The folders hold the files of one
 * stage each: `request/`, `checks/`, `forward/`, `answer/`. Nothing here knows
 * metrics, logs or usage; an {@link Observer} sees each finished call.
 */
export async function createEdge(options: EdgeOptions): Promise<Edge> {
  const { observer, monotonic, callLimits, portalUrl, randomUUID } = options
  const isProxy = createNetworks(options.trustedProxies)
  const refuse = createRefuse({ portalUrl, bodyBytesMax: callLimits.bodyBytesMax })
  const { publicUrl } = options
  const forwarder = createForwarder({
    publicHost: publicUrl === undefined ? undefined : new URL(publicUrl).host,
    backendUrl: options.backendUrl,
    bankUrl: options.bankUrl,
    backendUrls: options.backendUrls,
    catalogue: () => options.published().catalogue,
    limits: options.backendLimits,
    upstreamTls: options.upstreamTls,
    identity: options.identity,
    refuse,
    echoesRequestId: options.backendEchoesRequestId,
    uploadBufferMax: callLimits.uploadBufferMax,
    passingFields: createPassingFields(options.forwardHeaders),
    monotonic,
    onFailure: (call, refusal, cause) => observer.backendFailed(call, refusal, cause),
  })
  const uploads = createUploads({
    ...callLimits,
    monotonic,
    isListening: () => app.server.listening,
  })
  const checks = createChecks({
    registry: options.registry,
    failures: createFailureThrottle({
      failuresPerMinute: options.authFailuresPerMinute,
      monotonic,
      onExceeded: (address) => observer.throttled(address),
    }),
    certificates: options.certificates,
    counter: options.counter,
    rehearse: createRehearse({ counter: options.counter, rehearsed: observer.rehearsed }),
    drills: options.drills,
    concurrency: callLimits,
    uploads,
    hasRoom: forwarder.hasRoom,
    bodyBytesMax: callLimits.bodyBytesMax,
    isAddressKnown: true,
    now: options.now,
    monotonic,
  })
  const { isTraceSampled } = options
  const calls = createRunCall({
    checks: isTraceSampled === undefined ? checks : checks.timed(timedChecks, monotonic),
    refuse,
    observer,
  })
  const app = await createListener({
    receive: createReceiveCall({
      published: options.published,
      portalUrl,
      monotonic,
      randomUUID,
      isTraceSampled: isTraceSampled ?? (() => false),
      followsSampledFlag: options.followsSampledFlag === true,
      clientAddress: createClientAddress({
        isProxy,
        onUnreadable: (entry) => observer.clientUnknown(entry),
      }),
      clientScheme: createClientScheme(isProxy),
    }),
    calls,
    forward: forwarder.forward,
    refuseSocket: createRefuseSocket({
      portalUrl,
      randomUUID,
      onRefused: (code) => observer.refusedUnparsed(code),
    }),
    connectionLimits: options.connectionLimits,
    isProxy,
    tls: options.tls,
    backendUrl: options.backendUrl ?? options.bankUrl,
    callMsMax: options.backendLimits.backendCallMs,
  })
  return {
    app,
    load: () => ({
      callsUnderWay: calls.underWay(),
      uploadOctets: uploads.octets(),
      backends: forwarder.load(),
    }),
    async close() {
      await app.close()
      uploads.close()
      await forwarder.close()
    },
  }
}
