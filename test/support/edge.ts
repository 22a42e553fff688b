import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { Registry } from 'prom-client'
import type { IdentityOptions } from '../../src/backend/identity.ts'
import type { Catalogue, Plan } from '../../src/catalogue/catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import type { Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { awayGrant } from '../../src/gateway/counters/redis/away-grant.ts'
import type { ClientCertificates } from '../../src/gateway/edge/client-certificates.ts'
import { createEdge, type EdgeOptions } from '../../src/gateway/edge/create-edge.ts'
import { createIdentitySigner } from '../../src/gateway/edge/forward/identity.ts'
import type { Published } from '../../src/gateway/edge/published.ts'
import {
  type CallObserverOptions,
  createCallObserver,
} from '../../src/gateway/operate/call-observer.ts'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { createMomentOf } from '../../src/gateway/operate/moment-of.ts'
import type { AccessLog } from '../../src/platform/http/access-log.ts'
import { closeListeners, listen } from '../../src/platform/http/listen.ts'
import { createRecordedAddress } from '../../src/platform/http/recorded-address.ts'
import type { ListenerTls } from '../../src/platform/http/tls.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { createWatchedCopy } from '../../src/platform/settings/watched-files.ts'
import type { Authentication, Caller } from '../../src/registry/registry.ts'
import type { Test } from './database.ts'
import { publishedCatalogue } from './published-catalogue.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const privateKeyPem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** How a backend recognises the identities that test edges sign. */
export const edgeIdentity: IdentityOptions = {
  key: async () => createPublicKey(privateKeyPem),
  audience: 'tollgate-backend',
}

export interface TestEdgeOptions {
  readonly publicUrl?: string
  readonly backendUrl: string
  /** Whether it also replaces those that documents name. (Default: false) */
  readonly isBackendUrlSet?: boolean
  /** By API. (Default: `backendUrl` for each) */
  readonly backendUrls?: ReadonlyMap<string, string>
  /** Replaces some of the settings' defaults. */
  readonly backendLimits?: Partial<EdgeOptions['backendLimits']>
  /** TLS of the listener (default: plain HTTP). */
  readonly tls?: ListenerTls
  readonly upstreamTls?: EdgeOptions['upstreamTls']
  /** Answers by key; a key that is not in it is `invalid`. */
  readonly callers?: Pick<ReadonlyMap<string, Authentication>, 'get'>
  readonly counter?: Counter
  /** Replaces the Default Plan's members. */
  readonly plan?: Partial<Plan>
  readonly catalogue?: (published: Catalogue) => Catalogue
  /** What replaces the above; undefined: nothing. */
  readonly published?: () => Published | undefined
  /** (Default: true) */
  readonly hasDrills?: boolean
  readonly authFailuresPerMinute?: number
  readonly connectionsPerAddress?: number
  readonly trustedProxies?: readonly string[]
  /** (Default: the settings ask for no client certificates) */
  readonly certificates?: ClientCertificates
  /** (Default: false) */
  readonly backendEchoesRequestId?: boolean
  readonly forwardHeaders?: readonly string[]
  /** Replaces some; without them only the memory for bodies has a bound. */
  readonly callLimits?: Partial<EdgeOptions['callLimits']>
  /** (Default: `https://portal.example`) */
  readonly portalUrl?: string
  readonly now?: () => number
  /** (Default: that of Node) */
  readonly monotonic?: () => number
  readonly recorder?: CallObserverOptions['recorder']
  readonly spans?: CallObserverOptions['spans']
  readonly isTraceSampled?: EdgeOptions['isTraceSampled']
  readonly followsSampledFlag?: EdgeOptions['followsSampledFlag']
  readonly availability?: CallObserverOptions['availability']
  /** Takes the lines of calls (default: silent). */
  readonly log?: CallObserverOptions['log']
  /** (Default: each call, if there is a log) */
  readonly accessLog?: AccessLog
}

export interface TestEdge {
  readonly url: string
  readonly metrics: () => Promise<string>
  readonly counter: Counter
  /** Server of the public listener. */
  readonly server: Server
  /** How many are open. */
  readonly connections: () => Promise<number>
  /** Whether the port is open. */
  readonly isListening: () => boolean
  /** Begins the drain: serves on while about to stop. */
  readonly drain: () => void
  /** Closes the port like a process that shuts down. */
  readonly stop: () => Promise<void>
}

/** The key that every test edge knows by default. */
export const testKey = 'tg_known'

/** An application subscribed to the Default Plan of everything, of a developer who has no other. */
export function callerOf(applicationId: string, overrides: Partial<Caller> = {}): Caller {
  return {
    applicationId,
    applicationName: `Application ${applicationId}`,
    developerId: `developer of ${applicationId}`,
    keyId: 'testkey00001',
    isSuspended: false,
    isStrict: false,
    certificates: new Map(),
    seals: [],
    redirectOrigins: [],
    allowedAddresses: [],
    plans: new Map([
      ['mandate@1.0.0', 'default'],
      ['xs2a@1.6.0', 'default'],
      ['xs2a@1.7.0', 'default'],
    ]),
    overrides: new Map(),
    ...overrides,
  }
}

/**
 * Starts the data path on a real socket, with the published documents, the
 * in-process counter and a registry that is a map: for tests about the edge
 * itself. Its plan admits 1,000,000 calls by default.
 */
export async function startEdge(t: Test, options: TestEdgeOptions): Promise<TestEdge> {
  const now = options.now ?? Date.now
  const monotonic = options.monotonic ?? (() => performance.now())
  const log = createLog('silent')
  const registry = new Registry()
  const loaded = withPlan(await publishedCatalogue(), options.plan ?? {})
  const catalogue = options.catalogue === undefined ? loaded : options.catalogue(loaded)
  const published = { generation: 1, catalogue, router: createRouter(catalogue) }
  const callers = options.callers ?? new Map([[testKey, callerOf('app-1')]])
  const counter = options.counter ?? (await createMemoryCounter({ log, now }))
  const metrics = createGatewayMetrics(registry)
  const edge = await createEdge({
    published: () => options.published?.() ?? published,
    registry: { authenticate: (key, done) => done(callers.get(key) ?? 'invalid') },
    counter,
    identity: await createIdentitySigner({
      keys: createWatchedCopy(privateKeyPem),
      audience: edgeIdentity.audience,
      now,
      monotonic,
    }),
    certificates: options.certificates,
    observer: createCallObserver({
      metrics,
      log: options.log ?? log,
      accessLog: () => options.accessLog ?? { mode: options.log === undefined ? 'off' : 'all' },
      monotonic,
      momentOf: createMomentOf({ now, monotonic }),
      recorder: options.recorder,
      spans: options.spans,
      availability: options.availability ?? { ended() {} },
      keyFailures: { ended() {}, throttled() {} },
      recordedAddress: createRecordedAddress('truncated'),
    }),
    isTraceSampled: options.isTraceSampled,
    followsSampledFlag: options.followsSampledFlag,
    tls: options.tls,
    publicUrl: options.publicUrl,
    bankUrl: options.backendUrl,
    backendUrl: options.isBackendUrlSet === true ? options.backendUrl : undefined,
    backendUrls: options.backendUrls ?? new Map(),
    backendLimits: { ...readSettings({}), ...options.backendLimits },
    upstreamTls: options.upstreamTls,
    backendEchoesRequestId: options.backendEchoesRequestId ?? false,
    portalUrl: () => options.portalUrl ?? 'https://portal.example',
    drills:
      options.hasDrills === false
        ? undefined
        : { awayGrant, isAtSandbox: ({ api }) => options.backendUrls?.has(api) !== true },
    authFailuresPerMinute: options.authFailuresPerMinute ?? 1_000_000,
    connectionLimits: {
      connectionsPerAddress: options.connectionsPerAddress ?? 10_000,
      connectionsMax: 10_000,
    },
    callLimits: {
      callsPerApplication: 0,
      callsPerDeveloper: 0,
      callsPerAddress: 0,
      uploadBufferMax: 67_108_864,
      uploadBytesPerSecondMin: 1_024,
      bodyBytesMax: 1_048_576,
      ...options.callLimits,
    },
    trustedProxies: options.trustedProxies ?? [],
    forwardHeaders: options.forwardHeaders ?? [],
    now,
    monotonic,
    randomUUID,
  })
  metrics.watchLoad(edge.load)
  let isEnding = false
  const tls = options.tls && { certFile: '', keyFile: '' }
  const address = { host: '127.0.0.1', port: 0, tls }
  const url = await listen(edge.app, 'GATEWAY', address, { isEnding: () => isEnding })
  t.teardown(async () => {
    await edge.close()
    await counter.close()
  })
  return {
    url,
    metrics: () => registry.metrics(),
    counter,
    server: edge.app.server,
    connections: () =>
      new Promise((resolve, reject) =>
        edge.app.server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
      ),
    isListening: () => edge.app.server.listening,
    drain() {
      isEnding = true
    },
    stop() {
      isEnding = true
      return closeListeners([edge.app], () => edge.close())
    },
  }
}

/** Most of a limit: its windows are clock hours. */
export const hourly = { windowLength: 3600, isAdvertised: true, scope: 'operation' } as const

/** Huge limits for tests that are not about one. */
function withPlan(catalogue: Catalogue, plan: Partial<Plan>): Catalogue {
  const published = catalogue.plans.get('default')
  if (published === undefined) throw new Error('no Default Plan')
  const limits = [{ name: 'default', calls: 1_000_000, ...hourly }]
  const plans = new Map(catalogue.plans).set('default', { ...published, limits, ...plan })
  return { ...catalogue, plans }
}
