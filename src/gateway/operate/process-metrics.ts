import { Counter, Gauge, type Registry } from 'prom-client'

/** What every process with stores and a configuration reports, whether it takes calls or not. */
export interface ProcessMetrics {
  /** Calls `isUp` at every scrape. Use once per store. */
  watchStore(store: 'counters' | 'registry', isUp: () => boolean): void
  setGeneration(generation: number): void
  countReload(result: 'success' | 'failure'): void
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

  // Prometheus sees the first event as an increase only if it scraped a 0 before.
  for (const result of ['success', 'failure']) reloads.inc({ result }, 0)
  return {
    watchStore: (store, isUp) => void stores.set(store, isUp),
    setGeneration: (value) => generation.set(value),
    countReload: (result) => reloads.inc({ result }),
  }
}
