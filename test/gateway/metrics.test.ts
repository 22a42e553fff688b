import { Registry } from 'prom-client'
import t from 'tap'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { gatewayRegistry, lintMetrics, promtoolMissing } from '../support/metrics.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

t.test('a series goes on after a reload, and no scrape has it twice', async (t) => {
  const registry = new Registry()
  const metrics = createGatewayMetrics(registry)
  for (let generation = 1; generation <= 2; generation += 1) {
    const { versions } = await publishedCatalogue()
    for (const version of versions.values()) {
      const [operation] = version.operations
      const finished = { version, operation, status: 200, outcome: 'forwarded' as const }
      const seconds = { totalSeconds: 0.01, overheadSeconds: 0.004, upstreamSeconds: 0.005 }
      metrics.observe({ ...finished, ...seconds, decision: 'admitted' })
    }
  }
  const names = (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('gateway_'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  t.match(
    await registry.metrics(),
    /^gateway_request_duration_seconds_count\{api="mandate",[^}]*\} 2$/m,
  )
})

t.test(
  'a gateway has at most 3,000 series at 50 operations in 3 versions, each ending in five ways',
  { skip: promtoolMissing() },
  async (t) => {
    const { registry, metrics } = await gatewayRegistry(t)
    const [published] = (await publishedCatalogue()).versions.values()
    const [first] = published?.operations ?? []
    if (published === undefined || first === undefined) throw new Error('nothing is published')
    const endings = [
      { status: 200, outcome: 'forwarded', decision: 'admitted' },
      { status: 404, outcome: 'forwarded', decision: 'admitted' },
      { status: 429, outcome: 'QUOTA_EXCEEDED', decision: 'refused_local' },
      { status: 504, outcome: 'BACKEND_TIMEOUT', decision: 'admitted' },
      { status: 0, outcome: 'aborted', decision: 'degraded_admitted' },
    ] as const
    for (const number of ['1.0.0', '1.1.0', '2.0.0']) {
      const version = { ...published, version: number }
      for (let at = 0; at < 50; at += 1) {
        const operation = { ...first, version: number, id: `operation${at}` }
        for (const ending of endings) {
          const seconds = { totalSeconds: 0.01, overheadSeconds: 0.004, upstreamSeconds: 0.005 }
          metrics.observe({ version, operation, ...ending, ...seconds })
        }
      }
    }
    const text = await registry.metrics()
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    t.comment(`${series.length} series, ${text.length} octets`)
    t.ok(series.length > 2000 && series.length <= 3000, `${series.length} series`)
    t.equal(lintMetrics(text), '', 'promtool has nothing to say')
  },
)
