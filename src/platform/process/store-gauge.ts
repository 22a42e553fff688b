import { Gauge, type Registry } from 'prom-client'

/** A store as metrics name it: the counters, the tables of gateway and portal, or the tables of the bank. */
export type StoreName = 'counters' | 'registry' | 'bank'

/**
 * Creates the gauge that says whether each store answers.
 *
 * @returns a function that adds a store, once each
 */
export function createStoreGauge(
  registry: Registry,
): (store: StoreName, isUp: () => boolean) => void {
  const stores = new Map<StoreName, () => boolean>()
  new Gauge({
    name: 'gateway_store_up',
    help: '1 while the store answers, otherwise 0',
    labelNames: ['store'],
    registers: [registry],
    collect() {
      for (const [store, isUp] of stores) this.set({ store }, isUp() ? 1 : 0)
    },
  })
  return (store, isUp) => void stores.set(store, isUp)
}
