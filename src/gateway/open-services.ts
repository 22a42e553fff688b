import type { Registry as MetricsRegistry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DataFolder } from '../platform/data-folder.ts'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import type { Probe } from '../platform/management.ts'
import type { Settings } from '../platform/settings.ts'
import { together } from '../platform/together.ts'
import { counterStore } from './counter-store.ts'
import type { Counter } from './counters/counter.ts'
import { claimCounting } from './counting-claim.ts'
import type { Published } from './edge/published.ts'
import { openPepper } from './open-pepper.ts'
import { keepRecords } from './operate/keep-records.ts'
import {
  createGatewayMetrics,
  type GatewayMetrics,
  type RecordingMetrics,
} from './operate/metrics.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { parsePeppers } from './registry/key-mac.ts'
import { openRegistry, type Registry } from './registry/open-registry.ts'
import type { RegistrySchema } from './registry/schema.ts'

/** What the gateway and the portal share. Each process that runs one of the roles opens it once. */
export interface Services extends Stores {
  readonly metrics: GatewayMetrics & RecordingMetrics
  readonly publisher: Publisher
}

/** The stores of one process. */
export interface Stores {
  readonly counter: Counter
  readonly registry: Registry
  readonly probes: readonly Probe[]
}

export interface ServicesOptions extends Omit<StoresOptions, 'metrics' | 'isAdmitting'> {
  readonly catalogue: Catalogue
  readonly metricsRegistry: MetricsRegistry
  /** Whether this process or its workers admit calls. Otherwise it only shows counts. */
  readonly admits: boolean
  /** Called after each reload that replaced the configuration. */
  readonly onPublished?: (published: Published) => void
}

export interface StoresOptions {
  readonly settings: Settings
  /** Required when a store or a secret lives there. */
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
  readonly metrics: GatewayMetrics
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether this process itself admits calls. */
  readonly isAdmitting: boolean
}

/**
 * Opens what a process has once, whether it takes calls itself or leaves them
 * to its workers: the configuration, the claim to count, the cleanup of records
 * and the stores. Also applies a configuration that another process announces.
 *
 * @throws named errors: secrets, stores, counters that other processes do not
 * share
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { settings, catalogue, database, log, lifetime, admits, onPublished } = options
  const metrics = createGatewayMetrics(options.metricsRegistry)
  const publisher = createPublisher({
    configDir: settings.configDir,
    catalogue,
    metrics,
    log,
    ...(onPublished === undefined ? {} : { onPublished }),
  })
  if (admits && settings.databaseUrl !== undefined) {
    await claimCounting({ database, isShared: counterStore(settings).isShared, log, lifetime })
  }
  const isAdmitting = admits && settings.gatewayWorkers === 1
  const stores = await openStores({ ...options, metrics, isAdmitting })
  if (admits) {
    const upkeep = keepRecords({ db: database.connect<RegistrySchema>(), log })
    lifetime.opened(() => upkeep.close())
  }
  stores.registry.onChange('configuration', () => void publisher.reload())
  return { ...stores, metrics, publisher }
}

/**
 * Opens the counter and the registry of one process and follows their changes:
 * after another process resets a counter, this one drops what it remembers.
 *
 * @throws named errors: secrets, stores
 */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { settings, dataFolder, database, metrics, log, lifetime, isAdmitting } = options
  const keyPepper = await openPepper({ given: settings.keyPepper, dataFolder, database })
  const [counter, registry] = await together(
    counterStore(settings).open({ dataFolder, metrics, log, lifetime, isAdmitting }),
    openRegistry({
      database,
      log,
      peppers: parsePeppers(keyPepper),
      keysPerApplication: settings.keysPerApplication,
      applicationsPerDeveloper: settings.applicationsPerDeveloper,
    }).then((opened) => {
      lifetime.opened(() => opened.close())
      return opened
    }),
  )
  metrics.watchStore('counters', () => counter.isUp())
  metrics.watchStore('registry', () => registry.isUp())
  registry.onChange('counter', ({ detail }) => {
    // An operator reset the counter: a bucket remembered as empty may be full again.
    const bucket = detail?.['bucket']
    if (bucket !== undefined) counter.forget(bucket)
  })
  return {
    counter,
    registry,
    probes: [
      { name: 'counters', isReady: () => counter.isUp(), isRequired: false },
      { name: 'registry', isReady: () => registry.isUp(), isRequired: false },
    ],
  }
}
