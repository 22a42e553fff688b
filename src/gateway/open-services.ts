import type { Registry as MetricsRegistry } from 'prom-client'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { DataFolder } from '../platform/data-folder.ts'
import type { Database } from '../platform/database.ts'
import type { Lifetime } from '../platform/lifetime.ts'
import type { Logger } from '../platform/log.ts'
import type { Probe } from '../platform/management.ts'
import type { Settings } from '../platform/settings.ts'
import type { Counter } from './counters/counter.ts'
import { claimCounting } from './counting-claim.ts'
import { openCounter } from './open-counter.ts'
import { openSecret } from './open-secret.ts'
import {
  createGatewayMetrics,
  type GatewayMetrics,
  type RecordingMetrics,
} from './operate/metrics.ts'
import { createPublisher, type Publisher } from './publisher.ts'
import { embeddedPepper, parsePeppers } from './registry/key-mac.ts'
import { openRegistry, type Registry } from './registry/open-registry.ts'

/** What gateway and portal share, in one process or each in its own. */
export interface Services {
  readonly metrics: GatewayMetrics & RecordingMetrics
  readonly publisher: Publisher
  readonly counter: Counter
  readonly registry: Registry
  readonly probes: readonly Probe[]
}

export interface ServicesOptions {
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly dataFolder: DataFolder | undefined
  readonly database: Database
  readonly metricsRegistry: MetricsRegistry
  readonly log: Logger
  readonly lifetime: Lifetime
  /** Whether this process admits calls, not only shows counts. */
  readonly admits: boolean
}

/**
 * Opens the stores and follows their changes: a configuration taken into force
 * elsewhere is in force here, a counter reset elsewhere is not remembered.
 *
 * @throws named errors: secrets, stores, counters that others do not share
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { settings, catalogue, dataFolder, database, log, lifetime, admits } = options
  const metrics = createGatewayMetrics(options.metricsRegistry)
  const publisher = createPublisher({ configDir: settings.configDir, catalogue, metrics, log })
  const keyPepper = await openSecret(settings.keyPepper, dataFolder, embeddedPepper)
  if (admits && settings.databaseUrl !== undefined) {
    await claimCounting({ database, isShared: settings.redis !== undefined, log, lifetime })
  }
  const counter = await openCounter({ settings, dataFolder, metrics, log, lifetime })
  const registry = await openRegistry({
    database,
    log,
    peppers: parsePeppers(keyPepper),
    keysPerApplication: settings.keysPerApplication,
    applicationsPerDeveloper: settings.applicationsPerDeveloper,
  })
  lifetime.opened(() => registry.close())
  metrics.watchStore('counters', () => counter.isUp())
  metrics.watchStore('registry', () => registry.isUp())
  registry.onChange('counter', ({ detail }) => {
    // An operator reset it: what this process knows to be empty may be full again.
    const bucket = detail?.['bucket']
    if (bucket !== undefined) counter.forget(bucket)
  })
  registry.onChange('configuration', () => void publisher.reload())
  return {
    metrics,
    publisher,
    counter,
    registry,
    probes: [
      { name: 'counters', isReady: () => counter.isUp(), isRequired: false },
      { name: 'registry', isReady: () => registry.isUp(), isRequired: false },
    ],
  }
}
