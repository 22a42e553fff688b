import { pbkdf2Sync } from 'node:crypto'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { collectNodeMetrics } from '../../src/platform/process/node-metrics.ts'

t.test('the metrics of the event loop show what held it up since the last scrape', async (t) => {
  const registry = new Registry()
  collectNodeMetrics(registry)
  const read = async (name: string): Promise<number> =>
    (await registry.getSingleMetric(`nodejs_eventloop_${name}`)?.get())?.values[0]?.value ??
    Number.NaN
  await nextIteration()
  await read('iteration_max_seconds')
  pbkdf2Sync('password', 'salt', 100_000, 64, 'sha512')
  await nextIteration()
  const longest = await read('iteration_max_seconds')
  t.ok(longest > 0, `${longest} s`)
  const busy = await read('utilization')
  t.ok(busy > 0 && busy <= 1, String(busy))
  t.match(await registry.metrics(), /^nodejs_heap_size_used_bytes \d/m, "and Node's others")
  t.notMatch(await registry.metrics(), 'nodejs_eventloop_lag_p99')
})
