import { gunzipSync } from 'node:zlib'
import { Registry } from 'prom-client'
import t from 'tap'
import { createManagement } from '../../src/platform/process/management.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const token = 'a-token-of-thirty-two-characters'

t.test('with a token, metrics and details need it; health and public keys do not', async (t) => {
  const probes = [{ name: 'registry', isReady: () => true, isRequired: false }]
  const app = createManagement({
    tokens: () => [token],
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
    const { text } = await sendRaw(url, rawRequest('GET /metrics HTTP/1.1').repeat(16), {
      answers: 16,
    })
    t.equal(text.split('reading 1\n').length - 1, 16)
    t.match((await sendRaw(url, rawRequest('GET /metrics HTTP/1.1'))).text, 'reading 2')
  },
)

t.test('metrics are compressed on request', async (t) => {
  const text = `${'gateway_build_info 1\n'.repeat(100)}`
  const metrics = { contentType: Registry.PROMETHEUS_CONTENT_TYPE, metrics: async () => text }
  const app = createManagement({ metrics, probes: [] })
  t.teardown(() => app.close())
  const ask = (accepted?: string) =>
    app.inject({
      url: '/metrics',
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    })
  for (const accepted of ['gzip', 'deflate, gzip;q=1.0', 'br, gzip;q=0.5']) {
    const answer = await ask(accepted)
    t.equal(answer.headers['content-encoding'], 'gzip', accepted)
    t.equal(answer.headers['content-type'], Registry.PROMETHEUS_CONTENT_TYPE)
    t.ok(answer.rawPayload.length < text.length / 10)
    t.equal(gunzipSync(answer.rawPayload).toString(), text)
  }
  for (const accepted of [undefined, 'identity', 'gzip;q=0', 'br, gzip; q=0.0, deflate']) {
    const answer = await ask(accepted)
    t.equal(answer.headers['content-encoding'], undefined, String(accepted))
    t.equal(answer.headers.vary, 'accept-encoding')
    t.equal(answer.payload, text)
  }
})

t.test('HEAD is answered as GET is, without a body', async (t) => {
  let isReady = true
  const app = createManagement({
    tokens: () => [token],
    metrics: new Registry(),
    probes: [{ name: 'registry', isReady: () => isReady, isRequired: true }],
    jwks: () => ({ keys: [] }),
  })
  t.teardown(() => app.close())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = async (method: string, path: string, authorization: string) => {
    const answer = await fetch(url + path, { method, headers: { authorization } })
    const { 'content-type': type, 'content-length': length } = Object.fromEntries(answer.headers)
    return { status: answer.status, type, length, body: await answer.text() }
  }
  for (const ready of [true, false]) {
    isReady = ready
    for (const path of [
      '/livez',
      '/readyz',
      '/readyz?verbose',
      '/metrics',
      '/.well-known/jwks.json',
    ])
      for (const authorization of [`Bearer ${token}`, 'Bearer of another']) {
        const told = await ask('GET', path, authorization)
        t.not(told.body, '', path)
        t.same(await ask('HEAD', path, authorization), { ...told, body: '' }, path)
      }
  }
  t.equal((await ask('HEAD', '/other', '')).status, 404)
})

t.test('an answer that the process is not ready says what is missing', async (t) => {
  let isUp = false
  const problem = 'the database does not answer'
  const registry = { name: 'registry', isReady: () => isUp, problem }
  const start = (isRequired: boolean) => {
    const probes = [
      { name: 'accepting', isReady: () => true, isRequired: true },
      { ...registry, isRequired },
    ]
    const app = createManagement({ metrics: new Registry(), probes })
    t.teardown(() => app.close())
    return async (url: string) => {
      const { statusCode, body } = await app.inject({ url })
      return [statusCode, JSON.parse(body)]
    }
  }
  const [required, useful] = [start(true), start(false)]
  t.same(await required('/readyz'), [503, { status: 'not ready', missing: ['registry'] }])
  t.match(await required('/readyz?verbose'), [
    503,
    { checks: [{}, { name: 'registry', isReady: false, isRequired: true, problem }] },
  ])
  t.same(await useful('/readyz'), [200, { status: 'degraded' }])
  isUp = true
  t.same(await required('/readyz'), [200, { status: 'ok' }])
  t.same((await required('/readyz?verbose'))[1].checks[1], {
    name: 'registry',
    isReady: true,
    isRequired: true,
  })
})
