import { AggregatorRegistry, type Registry } from 'prom-client'
import type { MetricsSnapshot } from './messages.ts'

/** The metrics of several processes as one scrape shows them. */
export interface MergedMetrics {
  readonly contentType: Registry['contentType']
  /** In the text format of Prometheus. */
  metrics(): Promise<string>
  /** Takes in what a process that is gone had counted, so that no counter goes back. */
  keep(last: MetricsSnapshot): void
}

export interface MergedMetricsOptions {
  /** Of this process. */
  readonly registry: Registry
  /** Asks the other processes that are not gone. Those it asks are settled when it returns its promise. */
  readonly collect: () => Promise<readonly MetricsSnapshot[]>
}

/** There is one start of the whole, so it is not merged but shown as this process has it. */
const startTime = 'process_start_time_seconds'

/**
 * Merges by what each metric says of itself: counters and histograms add up, as
 * do memory and CPU time; of states the worst shows (a store is up when it is
 * for all, a configuration is in force when it is in all).
 */
export function createMergedMetrics({ registry, collect }: MergedMetricsOptions): MergedMetrics {
  /** Of those that are gone; most of the time one, merged of many. */
  const gone: MetricsSnapshot[] = []
  let isCondensing = false

  async function condense(): Promise<void> {
    if (isCondensing) return
    isCondensing = true
    while (gone.length > 1) {
      const merged = await merge(gone.slice(0, 2)).getMetricsAsJSON()
      gone.splice(0, 2, merged)
    }
    isCondensing = false
  }

  return {
    contentType: registry.contentType,
    async metrics() {
      // At one moment: a process is either asked or gone, never both.
      const kept = [...gone]
      const others = await collect()
      const own: MetricsSnapshot = await registry.getMetricsAsJSON()
      const merged = merge([own, ...others, ...kept])
      const started = registry.getSingleMetric(startTime)
      if (started !== undefined) merged.registerMetric(started)
      return merged.metrics()
    },
    keep(last) {
      gone.push(last.filter(countsUp))
      void condense()
    },
  }
}

function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** As prom-client compares it: in its types an enumeration, in its data a text. */
function countsUp({ type }: { readonly type: unknown }): boolean {
  return type === 'counter' || type === 'histogram'
}
