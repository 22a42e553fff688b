import { pbkdf2Sync } from 'node:crypto'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { collectNodeMetrics } from '../../src/platform/process/node-metrics.ts'

t.test('the metrics of the event loop show how long its iterations took', async (t) => {
  const registry = new Registry()
  collectNodeMetrics(registry)
  const read = async (figure: string): Promise<number> => {
    const metric = registry.getSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`)
    return (await metric?.get())?.values[0]?.value ?? Number.NaN
  }
  await nextIteration()
  // More than any other iteration does.
  pbkdf2Sync('password', 'salt', 100_000, 64, 'sha512')
  await nextIteration()
  const [max, mean, min] = [await read('max'), await read('mean'), await read('min')]
  t.ok(max > mean && mean > min && min >= 0, `${max}, ${mean}, ${min}`)
  for (const figure of ['stddev', 'p50', 'p90', 'p99']) t.ok((await read(figure)) > 0, figure)
  t.match(await registry.metrics(), /^nodejs_heap_size_used_bytes \d/m, "and Node's others")
})
