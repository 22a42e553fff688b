import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { backendsOf } from '../../src/compose/check-backends.ts'
import { createPublisher } from '../../src/compose/publisher.ts'
import { createConfigurationMetrics } from '../../src/gateway/operate/configuration-metrics.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { readSettings } from '../../src/platform/settings/settings.ts'
import { testConfigDir } from '../support/tollgate.ts'

t.test('a reload makes valid files active once, and counts how it ended', async (t) => {
  const configDir = testConfigDir(t)
  const registry = new Registry()
  const recorded: string[] = []
  const publisher = createPublisher({
    configDir,
    catalogue: await loadCatalogue(configDir),
    metrics: createConfigurationMetrics(registry),
    log: createLog('silent'),
    events: { record: ({ event }) => void recorded.push(event) },
  })
  const plan = join(configDir, 'plans', 'default.yaml')
  const text = readFileSync(plan, 'utf8')
  writeFileSync(plan, text.replace(/calls: \d+/, 'calls: 7'))
  t.equal(await publisher.reload(), true)
  t.equal(publisher.current().generation, 2)
  t.same(recorded, ['configuration.reloaded'])
  const { catalogue } = publisher.current()
  writeFileSync(plan, `# a remark\n${readFileSync(plan, 'utf8')}`)
  t.equal(await publisher.reload(), true)
  t.equal(publisher.current().catalogue, catalogue, 'the same content replaces nothing')
  t.equal(publisher.current().generation, 2)
  writeFileSync(plan, 'title: 5')
  t.equal(await publisher.reload(), false)
  t.notOk(publisher.state().isTransient)
  const metrics = await registry.metrics()
  t.match(metrics, /^gateway_config_reloads_total\{result="failure"\} 1$/m)
  t.match(metrics, /^gateway_config_reloads_total\{result="success"\} 2$/m)
})

t.test(
  'a reload without an API that BACKEND_URLS names is refused, as the next start would be',
  async (t) => {
    const publisher = createPublisher({
      configDir: 'config',
      catalogue: await loadCatalogue('test/catalogue/fixtures/minimal'),
      metrics: createConfigurationMetrics(new Registry()),
      log: createLog('silent'),
      events: { record() {} },
    })
    const settings = readSettings({ BACKEND_URLS: 'gone=http://10.0.0.8:8082' })
    publisher.prepareWith(backendsOf(settings, new Set()))
    t.equal(await publisher.reload(), false)
    t.match(publisher.state().refused, 'BACKEND_URLS: there is no API "gone" in CONFIG_DIR')
    t.equal(publisher.current().generation, 1)
  },
)
