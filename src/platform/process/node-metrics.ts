import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** 24 days, the longest timer. */
const seldomMs = 2 ** 31 - 1

/**
 * Enters prom-client's metrics of Node, with two of our own for the event loop.
 * prom-client's figures of its lag come from a timer that wakes the process a
 * hundred times a second, which was a fifth of an idle process's work.
 */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: seldomMs })
  for (const figure of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`)
  }
  const registers = [registry]
  const iterations = monitorEventLoopDelay({ samplePerIteration: true })
  iterations.enable()
  new Gauge({
    name: 'nodejs_eventloop_iteration_max_seconds',
    help: 'Longest iteration of the event loop since the last scrape; everything else waited for it',
    registers,
    collect() {
      this.set(iterations.max / 1e9)
      iterations.reset()
    },
  })
  let last = performance.eventLoopUtilization()
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the last scrape in which the event loop was busy, from 0 to 1',
    registers,
    collect() {
      const now = performance.eventLoopUtilization()
      this.set(performance.eventLoopUtilization(now, last).utilization)
      last = now
    },
  })
}
