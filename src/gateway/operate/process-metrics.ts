import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/database.ts'
import { createLoadGauge, createPoolGauges, databaseGauges } from '../../platform/load-gauges.ts'
import { createStoreGauge, type StoreName } from '../../platform/store-gauge.ts'
import type { RegistryLoad } from '../registry/open-registry.ts'

/** What every process with stores and a configuration reports, whether it takes calls or not. */
export interface ProcessMetrics {
  /** Calls `isUp` at every scrape. Use once per store. */
  watchStore(store: Extract<StoreName, 'counters' | 'registry'>, isUp: () => boolean): void
  /** Shows at every scrape what the process has to do, and how fresh its knowledge is. */
  watchLoad(load: ProcessLoad): void
  setGeneration(generation: number): void
  countReload(result: 'success' | 'failure'): void
}

/** Where to read the load of a process. */
export interface ProcessLoad {
  readonly database: Database['load']
  readonly registry: () => RegistryLoad
}

export function createProcessMetrics(registry: Registry): ProcessMetrics {
  const registers = [registry]
  const watchStore = createStoreGauge(registry)
  const generation = new Gauge({
    name: 'gateway_config_generation',
    help: 'Number of the loaded configuration; each successful reload adds 1',
    registers,
    aggregator: 'min',
  })
  const reloads = new Counter({
    name: 'gateway_config_reloads_total',
    help: 'Reloads by result',
    labelNames: ['result'],
    registers,
  })

  let load: ProcessLoad | undefined
  createPoolGauges({ ...databaseGauges, registers, read: () => load?.database() })
  createLoadGauge({
    name: 'gateway_keys_cached',
    help: 'API keys in memory, those that do not exist included',
    registers,
    read: () => load?.registry().keysCached,
  })
  new Counter({
    name: 'gateway_key_lookups_total',
    help: 'API keys that PostgreSQL was asked for: memory did not have them, or had them for long',
    registers,
    collect() {
      this.reset()
      this.inc(load?.registry().keysLookedUp ?? 0)
    },
  })
  createLoadGauge({
    name: 'gateway_change_feed_age_seconds',
    help: 'Time since PostgreSQL last told the process what has changed, such as revoked keys',
    registers,
    aggregator: 'max',
    read: () => load?.registry().feedAgeSeconds,
  })
  // Prometheus sees the first event as an increase only if it scraped a 0 before.
  for (const result of ['success', 'failure']) reloads.inc({ result }, 0)
  return {
    watchLoad(watched) {
      load = watched
    },
    watchStore,
    setGeneration: (value) => generation.set(value),
    countReload: (result) => reloads.inc({ result }),
  }
}
