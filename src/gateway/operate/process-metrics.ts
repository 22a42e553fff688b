import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/database.ts'
import type { RegistryLoad } from '../registry/open-registry.ts'
import { createLoadGauge, createPoolGauges } from './load-gauges.ts'

/** What every process with stores and a configuration reports, whether it takes calls or not. */
export interface ProcessMetrics {
  /** Calls `isUp` at every scrape. Use once per store. */
  watchStore(store: 'counters' | 'registry', isUp: () => boolean): void
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
  const stores = new Map<string, () => boolean>()
  new Gauge({
    name: 'gateway_store_up',
    help: '1 while the store answers, otherwise 0',
    labelNames: ['store'],
    registers,
    aggregator: 'min',
    collect() {
      for (const [store, isUp] of stores) this.set({ store }, isUp() ? 1 : 0)
    },
  })
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
  createPoolGauges({
    ...{ prefix: 'gateway_database', to: 'PostgreSQL', waits: 'Statements', registers },
    read: () => load?.database(),
  })
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
    watchStore: (store, isUp) => void stores.set(store, isUp),
    setGeneration: (value) => generation.set(value),
    countReload: (result) => reloads.inc({ result }),
  }
}
