import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../platform/database/database.ts'
import {
  createLoadGauge,
  createPoolGauges,
  databaseGauges,
} from '../../platform/process/load-gauges.ts'
import { createStoreGauge, type StoreName } from '../../platform/process/store-gauge.ts'
import type { RegistryLoad } from '../../registry/open-registry.ts'

/** What every process with stores reports, whether it takes calls or not. */
export interface ProcessMetrics {
  /** Calls `isUp` at every scrape. Use once per store. */
  watchStore(store: Extract<StoreName, 'counters' | 'registry'>, isUp: () => boolean): void
  /** Shows at every scrape what the process has to do, and how fresh its knowledge is. */
  watchLoad(load: ProcessLoad): void
  /** Shows whether another process counts calls without sharing its counters with this one. */
  setCountingContested(isContested: boolean): void
}

/** Where to read the load of a process. */
export interface ProcessLoad {
  readonly database: Database['load']
  readonly registry: () => RegistryLoad
}

export function createProcessMetrics(registry: Registry): ProcessMetrics {
  const registers = [registry]
  const watchStore = createStoreGauge(registry)
  let load: ProcessLoad | undefined
  createPoolGauges({
    ...databaseGauges,
    registers,
    read: () => (load === undefined ? [] : [{ labels: {}, load: load.database() }]),
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
    read: () => load?.registry().feedAgeSeconds,
  })
  const contested = new Gauge({
    name: 'gateway_counting_contested',
    help: '1 while another gateway process on this database counts calls without sharing the counters of this one',
    registers,
  })
  return {
    setCountingContested: (isContested) => contested.set(isContested ? 1 : 0),
    watchLoad(watched) {
      load = watched
    },
    watchStore,
  }
}
