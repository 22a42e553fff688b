import t from 'tap'
import { callerOf, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const get = 'GET /v1.7.0/accounts HTTP/1.1'

t.test('a call needs exactly one key in one of its two headers', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const cases: ReadonlyArray<readonly [fields: readonly string[], status: number, code: string]> = [
    [[], 401, 'KEY_MISSING'],
    [['X-API-Key:'], 401, 'KEY_MISSING'],
    [['X-API-Key: unknown'], 401, 'KEY_INVALID'],
    [[`X-API-Key: ${'k'.repeat(10_240)}`], 401, 'KEY_INVALID'],
    [['X-API-Key: k\u00e9y'], 401, 'KEY_INVALID'],
    [[`X-API-Key: ${testKey}`, `X-API-Key: ${testKey}`], 400, 'HEADERS_INVALID'],
    [[`X-API-Key: ${testKey}`, `x-ibm-client-id: ${testKey}`], 400, 'HEADERS_INVALID'],
    [[`X-API-Key: ${testKey}, ${testKey}`], 401, 'KEY_INVALID'],
    [[`Authorization: Bearer ${testKey}`], 401, 'KEY_MISSING'],
  ]
  for (const [fields, status, code] of cases) {
    const answer = await sendRaw(edge.url, rawRequest(get, fields))
    t.equal(answer.status, status, fields.join('|').slice(0, 60))
    t.equal(JSON.parse(answer.body).code, code)
    if (status === 401) t.equal(answer.headers.get('www-authenticate'), 'ApiKey realm="tollgate"')
  }
  for (const name of ['X-API-Key', 'X-IBM-Client-Id', 'x-ibm-client-id']) {
    t.equal((await sendRaw(edge.url, rawRequest(get, [`${name}: ${testKey}`]))).status, 200, name)
  }
})

t.test('a key in the query is refused and does not come back', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  for (const query of [
    `api_key=${testKey}`,
    `apikey=${testKey}`,
    `x=1&X-API-Key=${testKey}`,
    'q=tg_AbCdEf123456_secret',
    'q=xtg_AbCdEf123456_secret',
    'tg_AbCdEf123456_secret',
    'tg_AbCdEf123456_secret=1',
    'q=tg%5FAbCdEf123456%5fsecret',
    'q=%74%67_AbCdEf123456_secret',
    'q=%74%67%5F%41bCdEf123456%5Fsecret',
    'x%2Dapi%2Dkey=abc',
    'x_api_key=abc',
    'X_IBM_Client_Id=abc',
    'a=%ff&X-IBM%2dClient-Id=abc',
  ]) {
    const answer = await sendRaw(
      edge.url,
      rawRequest(`GET /v1.7.0/accounts?${query} HTTP/1.1`, [`X-API-Key: ${testKey}`]),
    )
    t.equal(answer.status, 401, query)
    t.equal(JSON.parse(answer.body).code, 'KEY_MISSING')
    t.notOk(answer.text.includes(testKey))
    t.notOk(answer.text.includes('tg_AbCdEf123456'))
  }
  t.equal(backend.requests.length, 0)
})

t.test('what we cannot find out is 503, never 401', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    callers: new Map([['tg_cold', 'unreachable']]),
  })
  const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': 'tg_cold' } })
  t.equal(answer.status, 503)
  t.equal(answer.headers.get('retry-after'), '1')
  t.match(await answer.json(), { code: 'REGISTRY_UNAVAILABLE' })
})

t.test('failures of an address are throttled, its valid keys are not', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, authFailuresPerMinute: 5 })
  const call = (key: string) =>
    fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
  for (let failure = 1; failure <= 5; failure += 1) t.equal((await call('wrong')).status, 401)
  const throttled = await call('wrong')
  t.equal(throttled.status, 429)
  t.match(await throttled.json(), { code: 'ATTEMPTS_EXCEEDED' })
  const wait = Number(throttled.headers.get('retry-after'))
  t.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`)
  t.equal((await call(testKey)).status, 200)
})

t.test(
  'behind a configured proxy the client is the rightmost address that is not a proxy, and no header forges it',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      authFailuresPerMinute: 1,
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'],
    })
    const call = (forwarded: string) =>
      fetch(`${edge.url}/v1.7.0/accounts`, {
        headers: { 'x-api-key': 'wrong', 'x-forwarded-for': forwarded },
      })
    t.equal((await call('203.0.113.1, 10.1.1.1')).status, 401)
    t.equal((await call('198.51.100.7, 203.0.113.1, 10.1.1.2')).status, 429)
    t.equal((await call('203.0.113.1, 203.0.113.2')).status, 401)
    t.equal((await call('2001:db8::1')).status, 401)
    t.equal((await call('2001:db8::ffff')).status, 429, 'one /64 is one caller')
    t.equal((await call('2001:db8:0:1::1')).status, 401)
  },
)

t.test(
  'the refusal of a suspended or unsubscribed application names API and version',
  async (t) => {
    const backend = await startRawBackend(t)
    const callers = new Map([
      ['suspended', callerOf('app-1', { isSuspended: true })],
      ['unsubscribed', callerOf('app-2', { plans: new Map([['xs2a@1.6.0', 'default']]) })],
      ['lost plan', callerOf('app-3', { plans: new Map([['xs2a@1.7.0', 'withdrawn']]) })],
    ])
    const edge = await startEdge(t, { backendUrl: backend.url, callers })
    const expected = {
      suspended: 'APPLICATION_SUSPENDED',
      unsubscribed: 'NOT_SUBSCRIBED',
      'lost plan': 'NOT_SUBSCRIBED',
    }
    for (const [key, code] of Object.entries(expected)) {
      const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': key } })
      t.equal(answer.status, 403)
      t.match(await answer.json(), { code, api: 'xs2a', version: '1.7.0' })
    }
    t.equal(backend.requests.length, 0)
  },
)
