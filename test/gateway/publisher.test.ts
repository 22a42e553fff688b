import { Registry } from 'prom-client'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { createPublisher } from '../../src/gateway/publisher.ts'
import { createLog } from '../../src/platform/log.ts'
import { configDir } from '../support/edge.ts'

t.test('a reload that workers do not receive fails, and the next one is carried out', async (t) => {
  const registry = new Registry()
  const reached: number[] = []
  let isBroken = true
  const publisher = createPublisher({
    configDir,
    catalogue: await loadCatalogue(configDir),
    metrics: createGatewayMetrics(registry),
    log: createLog('silent'),
    onPublished({ generation }) {
      if (isBroken) throw new Error('the channel is closed')
      reached.push(generation)
    },
  })
  t.equal(await publisher.reload(), false)
  isBroken = false
  t.equal(await publisher.reload(), true)
  t.same(reached, [3])
  const metrics = await registry.metrics()
  t.match(metrics, /^gateway_config_reloads_total\{result="failure"\} 1$/m)
  t.match(metrics, /^gateway_config_reloads_total\{result="success"\} 1$/m)
})
