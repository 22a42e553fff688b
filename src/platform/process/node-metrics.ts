import { type Histogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/** Longer than a process lives: 24 days, the longest timer. */
const neverMs = 2 ** 31 - 1

/** In nanoseconds, of at least one iteration. */
const figures: Readonly<Record<string, (iterations: Histogram) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (iterations) => iterations.percentile(50),
  p90: (iterations) => iterations.percentile(90),
  p99: (iterations) => iterations.percentile(99),
}

/**
 * Enters prom-client's metrics of Node, with other measurements of the event
 * loop under their names. prom-client wakes the process a hundred times a second
 * to see how late a timer is, which was a fifth of an idle process's work. These
 * say how long each iteration of the loop took since the last scrape.
 */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs })
  const iterations = monitorEventLoopDelay({ samplePerIteration: true })
  iterations.enable()
  const names = Object.keys(figures)
  for (const [figure, read] of Object.entries(figures)) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`
    registry.removeSingleMetric(name)
    new Gauge({
      name,
      help: `How long an iteration of the event loop took since the last scrape: ${figure}`,
      registers: [registry],
      collect() {
        this.set(iterations.count === 0 ? 0 : read(iterations) / 1e9)
        if (figure === names.at(-1)) iterations.reset()
      },
    })
  }
}
