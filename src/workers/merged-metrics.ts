import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Logger } from '../platform/log/log.ts'
import type { MetricsSnapshot } from './messages.ts'

/** Merges the metrics of several processes into one scrape. */
export interface MergedMetrics {
  readonly contentType: Registry['contentType']
  /** In the text format of Prometheus. */
  metrics(): Promise<string>
  /** Adds the final counts of a process that has ended, so that no counter goes back. */
  keep(last: MetricsSnapshot): void
}

export interface MergedMetricsOptions {
  /** The metrics of this process. */
  readonly registry: Registry
  /** Collects the metrics of the processes that still run. It chooses them synchronously, before it returns its promise. */
  readonly collect: () => Promise<readonly MetricsSnapshot[]>
  readonly log: Pick<Logger, 'error'>
}

/** The workers start with this process, so its own start time is shown unmerged. */
const startTime = 'process_start_time_seconds'

/**
 * Merges by the type of each metric: counters and histograms add up, as do
 * memory and CPU time. For states the worst value wins: a store is up when
 * every process reaches it, and a configuration is active when every process
 * has it.
 */
export function createMergedMetrics(options: MergedMetricsOptions): MergedMetrics {
  const { registry, collect, log } = options
  /** Final metrics of ended processes; usually one entry that holds the sum. */
  const gone: MetricsSnapshot[] = []
  let isCondensing = false

  async function condense(): Promise<void> {
    if (isCondensing) return
    isCondensing = true
    while (gone.length > 1) {
      try {
        const merged = await merge(gone.slice(0, 2)).getMetricsAsJSON()
        gone.splice(0, 2, merged)
      } catch (error) {
        dropped(error)
        gone.splice(1, 1)
      }
    }
    isCondensing = false
  }

  function dropped(error: unknown): void {
    log.error({ err: error }, 'the metrics of a worker that ended cannot be merged and are dropped')
  }

  return {
    contentType: registry.contentType,
    async metrics() {
      // Taken at one moment, so that each process is either asked or among the ended ones, never both.
      const kept = [...gone]
      const others = await collect()
      const own: MetricsSnapshot = await registry.getMetricsAsJSON()
      const merged = merge([own, ...others, ...kept])
      const started = registry.getSingleMetric(startTime)
      if (started !== undefined) merged.registerMetric(started)
      return merged.metrics()
    },
    keep(last) {
      const counts = last.filter(countsUp)
      try {
        // Rejects metrics that cannot be merged now, because they would fail every later scrape.
        merge([counts])
        gone.push(counts)
      } catch (error) {
        dropped(error)
      }
      void condense()
    },
  }
}

function merge(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** Compares as prom-client does: its types declare an enumeration, its data holds a string. */
function countsUp({ type }: { readonly type: unknown }): boolean {
  return type === 'counter' || type === 'histogram'
}
