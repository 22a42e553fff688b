import { Registry } from 'prom-client'
import t from 'tap'
import { createGatewayMetrics } from '../../src/gateway/operate/metrics.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'

t.test('a series goes on after a reload, and no scrape has it twice', async (t) => {
  const registry = new Registry()
  const metrics = createGatewayMetrics(registry)
  for (let generation = 1; generation <= 2; generation += 1) {
    const { versions } = await publishedCatalogue()
    for (const version of versions.values()) {
      const [operation] = version.operations
      const finished = { version, operation, status: 200, outcome: 'forwarded' as const }
      const seconds = { totalSeconds: 0.01, upstreamSeconds: 0.005 }
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
