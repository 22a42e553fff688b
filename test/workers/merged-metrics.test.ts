import { setImmediate as turn } from 'node:timers/promises'
import { Counter, Registry } from 'prom-client'
import t from 'tap'
import { createMergedMetrics } from '../../src/workers/merged-metrics.ts'
import type { MetricsSnapshot } from '../../src/workers/messages.ts'

/** What a worker had counted in the end. */
async function snapshot(calls: number): Promise<MetricsSnapshot> {
  const registry = new Registry()
  new Counter({ name: 'calls_total', help: 'calls', registers: [registry] }).inc(calls)
  return registry.getMetricsAsJSON()
}

t.test(
  'metrics of a worker that cannot be merged are dropped; those of others still add up',
  async (t) => {
    const errors: unknown[] = []
    const merged = createMergedMetrics({
      registry: new Registry(),
      collect: async () => [],
      log: { error: (...line: unknown[]) => void errors.push(line) },
    })
    const strange = (await snapshot(100)).map((metric) => ({ ...metric, aggregator: 'strange' }))
    // Parse boundary: a worker of another version may say what this one does not know.
    merged.keep(strange as never)
    for (const calls of [1, 2, 4]) {
      merged.keep(await snapshot(calls))
      await turn()
    }
    t.match(await merged.metrics(), /^calls_total 7$/m)
    t.equal(errors.length, 1)
  },
)
