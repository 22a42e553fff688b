import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Registry } from 'prom-client'
import type { Test } from 'tap'
import type { IdentityOptions } from '../../src/backend/identity.ts'
import type { Catalogue, Plan } from '../../src/catalogue/catalogue.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createRouter } from '../../src/catalogue/router.ts'
import type { Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { createEdge, type EdgeOptions } from '../../src/gateway/edge/create-edge.ts'
import { createIdentitySigner } from '../../src/gateway/edge/forward/identity.ts'
import type { Published } from '../../src/gateway/edge/published.ts'
import {
  type CallObserverOptions,
  createCallObserver,
} from '../../src/gateway/operate/call-observer.ts'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import type { Authentication, Caller } from '../../src/gateway/registry/registry.ts'
import { closeListeners, listen } from '../../src/platform/listen.ts'
import { createLog } from '../../src/platform/log.ts'

/** The published configuration of the repository. */
export const configDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'config')

const { privateKey } = generateKeyPairSync('ed25519')
const privateKeyPem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** How a backend recognises the identities that test edges sign. */
export const edgeIdentity: IdentityOptions = {
  key: async () => createPublicKey(privateKeyPem),
  audience: 'tollgate-backend',
}

export interface TestEdgeOptions {
  readonly backendUrl: string
  /** Answers by key; a key that is not in it is `invalid`. */
  readonly callers?: ReadonlyMap<string, Authentication>
  readonly counter?: Counter
  /** Replaces the Default Plan's members. */
  readonly plan?: Partial<Plan>
  readonly catalogue?: (published: Catalogue) => Catalogue
  /** What is in force instead of the above; undefined: nothing. */
  readonly published?: () => Published | undefined
  readonly authFailuresPerMinute?: number
  readonly connectionsPerAddress?: number
  readonly trustedProxies?: readonly string[]
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
  /** Takes the lines of calls (default: silent). */
  readonly log?: CallObserverOptions['log']
}

export interface TestEdge {
  readonly url: string
  readonly metrics: () => Promise<string>
  readonly counter: Counter
  /** How many are open. */
  readonly connections: () => Promise<number>
  /** Whether the port is open. */
  readonly isListening: () => boolean
  /** Begins the drain: serves on while about to stop. */
  readonly drain: () => void
  /** Closes the port as a process does that is told to stop. */
  readonly stop: () => Promise<void>
}

/** The key every test edge knows unless told otherwise. */
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
 * itself. Its plan admits 1,000,000 calls unless told otherwise.
 */
export async function startEdge(t: Test, options: TestEdgeOptions): Promise<TestEdge> {
  const now = options.now ?? Date.now
  const monotonic = options.monotonic ?? (() => performance.now())
  const log = createLog('silent')
  const registry = new Registry()
  const loaded = withPlan(await loadCatalogue(configDir), options.plan ?? {})
  const catalogue = options.catalogue === undefined ? loaded : options.catalogue(loaded)
  const published = { generation: 1, catalogue, router: createRouter(catalogue) }
  const callers = options.callers ?? new Map([[testKey, callerOf('app-1')]])
  const counter = options.counter ?? (await createMemoryCounter({ log, now }))
  const edge = await createEdge({
    published: () => options.published?.() ?? published,
    registry: { authenticate: (key, done) => done(callers.get(key) ?? 'invalid') },
    counter,
    identity: await createIdentitySigner({
      privateKeyPem,
      audience: edgeIdentity.audience,
      now,
      monotonic,
    }),
    observer: createCallObserver({
      metrics: createGatewayMetrics(registry),
      log: options.log ?? log,
      monotonic,
      recorder: options.recorder,
    }),
    backendUrl: options.backendUrl,
    backendEchoesRequestId: options.backendEchoesRequestId ?? false,
    portalUrl: () => options.portalUrl ?? 'https://portal.example',
    authFailuresPerMinute: options.authFailuresPerMinute ?? 1_000_000,
    connectionLimits: {
      connectionsPerAddress: options.connectionsPerAddress ?? 10_000,
      connectionsMax: 10_000,
    },
    callLimits: {
      ...{ callsPerApplication: 0, callsPerAddress: 0 },
      ...{ uploadBufferMax: 67_108_864, uploadBytesPerSecondMin: 1_024 },
      ...options.callLimits,
    },
    trustedProxies: options.trustedProxies ?? [],
    forwardHeaders: options.forwardHeaders ?? [],
    now,
    monotonic,
    randomUUID,
  })
  let isEnding = false
  const url = await listen(edge.app, 'GATEWAY', { host: '127.0.0.1', port: 0 }, () => isEnding)
  t.teardown(async () => {
    await edge.close()
    await counter.close()
  })
  return {
    url,
    metrics: () => registry.metrics(),
    counter,
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

/** Huge limits for tests that are not about one. */
function withPlan(catalogue: Catalogue, plan: Partial<Plan>): Catalogue {
  const published = catalogue.plans.get('default')
  if (published === undefined) throw new Error('no Default Plan')
  const limits = [
    { name: 'default', calls: 1_000_000, windowSeconds: 3600, scope: 'operation' as const },
  ]
  const plans = new Map(catalogue.plans).set('default', { ...published, limits, ...plan })
  return { ...catalogue, plans }
}
