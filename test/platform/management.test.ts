import { Registry } from 'prom-client'
import t from 'tap'
import { createManagement } from '../../src/platform/management.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const token = 'a-token-of-thirty-two-characters'

t.test('with a token, metrics and details need it; health and public keys do not', async (t) => {
  const probes = [{ name: 'registry', isReady: () => true, isRequired: false }]
  const app = createManagement({
    token,
    metrics: new Registry(),
    probes,
    jwks: () => ({ keys: [] }),
  })
  t.teardown(() => app.close())
  const ask = async (url: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await app.inject({ url, headers })
    t.equal(answer.headers['x-content-type-options'], 'nosniff', url)
    if (answer.statusCode === 401) t.match(answer.headers['www-authenticate'], /^Bearer /)
    return answer.statusCode
  }
  for (const url of ['/metrics', '/readyz?verbose']) {
    t.equal(await ask(url), 401)
    for (const wrong of [token, `Basic ${token}`, `Bearer ${token}x`, 'Bearer ', 'Bearer x']) {
      t.equal(await ask(url, wrong), 401, wrong)
    }
    t.equal(await ask(url, `Bearer ${token}`), 200)
    t.equal(await ask(url, `bearer ${token}`), 200, 'RFC 9110, 11.1')
  }
  for (const url of ['/livez', '/readyz', '/.well-known/jwks.json']) t.equal(await ask(url), 200)
})

t.test(
  'requests for metrics that arrive together share one reading, and later ones do not',
  async (t) => {
    let readings = 0
    const metrics = {
      contentType: Registry.PROMETHEUS_CONTENT_TYPE,
      metrics: async () => `reading ${++readings}\n`,
    }
    const app = createManagement({ metrics, probes: [] })
    t.teardown(() => app.close())
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { text } = await sendRaw(url, rawRequest('GET /metrics HTTP/1.1').repeat(16))
    t.equal(text.split('reading 1\n').length - 1, 16)
    t.match((await sendRaw(url, rawRequest('GET /metrics HTTP/1.1'))).text, 'reading 2')
  },
)
