import { Registry } from 'prom-client'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { createPublisher } from '../../src/compose/publisher.ts'
import { createConfigurationMetrics } from '../../src/gateway/operate/configuration-metrics.ts'
import { createLog } from '../../src/platform/log.ts'
import { configDir } from '../support/published-catalogue.ts'

t.test('a reload that workers do not receive fails, and the next one is carried out', async (t) => {
  const registry = new Registry()
  const reached: number[] = []
  const recorded: string[] = []
  let isBroken = true
  const publisher = createPublisher({
    configDir,
    catalogue: await loadCatalogue(configDir),
    metrics: createConfigurationMetrics(registry),
    log: createLog('silent'),
    events: { record: ({ event }) => void recorded.push(event) },
    onPublished({ generation }) {
      if (isBroken) throw new Error('the channel is closed')
      reached.push(generation)
    },
  })
  t.equal(await publisher.reload(), false)
  isBroken = false
  t.equal(await publisher.reload(), true)
  t.same(reached, [3])
  t.same(recorded, ['configuration.reloaded'])
  const metrics = await registry.metrics()
  t.match(metrics, /^gateway_config_reloads_total\{result="failure"\} 1$/m)
  t.match(metrics, /^gateway_config_reloads_total\{result="success"\} 1$/m)
})
