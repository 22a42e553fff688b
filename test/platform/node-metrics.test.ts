import { setImmediate as nextIteration } from 'node:timers/promises'
import { Registry } from 'prom-client'
import t from 'tap'
import { collectNodeMetrics } from '../../src/platform/process/node-metrics.ts'

t.test('the metrics of the event loop show how long it was held up', async (t) => {
  const registry = new Registry()
  collectNodeMetrics(registry)
  const read = async (figure: string): Promise<number> => {
    const metric = registry.getSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`)
    return (await metric?.get())?.values[0]?.value ?? Number.NaN
  }
  await nextIteration()
  const begin = performance.now()
  while (performance.now() - begin < 50);
  await nextIteration()
  t.ok((await read('max')) >= 0.049, 'longer than the 50 ms without an iteration')
  t.ok((await read('min')) < (await read('max')))
  for (const figure of ['mean', 'stddev', 'p50', 'p90', 'p99']) {
    t.ok((await read(figure)) >= 0, figure)
  }
  t.match(await registry.metrics(), /^nodejs_heap_size_used_bytes \d/m, "and Node's others")
})
