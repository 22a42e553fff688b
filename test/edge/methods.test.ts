import { pino } from 'pino'
import t from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const authorisation = '/payments/masav/p1/authorisations/a1'

t.test(
  'the read of a payment authorisation answers on 1.6.0 and is refused by name on 1.7.0',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const headers = { 'x-api-key': testKey }

    const old = await fetch(`${edge.url}/v1.6.0${authorisation}`, { headers })
    t.equal(old.status, 200)

    const refused = await fetch(`${edge.url}/v1.7.0${authorisation}`, { headers })
    t.equal(refused.status, 405)
    t.equal(refused.headers.get('allow'), 'PUT')
    t.match(await refused.json(), {
      code: 'OPERATION_NOT_IN_VERSION',
      status: 405,
      requestedVersion: '1.7.0',
      availableIn: ['1.6.0'],
    })
    t.equal(backend.requests.length, 1)
  },
)

t.test('a method the path does not have is refused with the ones it has', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  for (const method of ['HEAD', 'OPTIONS', 'PATCH', 'POST', 'TRACE', 'PROPFIND', 'DELETE']) {
    const answer = await sendRaw(
      edge.url,
      rawRequest(`${method} /v1.7.0/accounts HTTP/1.1`, [
        `X-API-Key: ${testKey}`,
        'Connection: close',
      ]),
    )
    t.equal(answer.status, 405, method)
    t.equal(answer.headers.get('allow'), 'GET', method)
  }
  const posted = await fetch(`${edge.url}/v1.7.0/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': testKey },
  })
  t.equal(JSON.parse(await posted.text()).detail, 'This path has only these methods: GET.')
  for (const method of ['FOO', 'get', 'QUERY']) {
    const answer = await sendRaw(
      edge.url,
      rawRequest(`${method} /v1.7.0/accounts HTTP/1.1`, ['Connection: close']),
    )
    t.ok([405, 501].includes(answer.status), `${method}: ${answer.status}`)
    t.match(answer.headers.get('content-type') ?? '', 'application/problem+json')
  }
  const connect = await sendRaw(
    edge.url,
    'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
  )
  t.match(String(connect.status), /^(405|400|501)$/)
  t.equal(backend.requests.length, 0)
})

t.test('OPTIONS * names the methods of the gateway, needs no key and is not counted', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const asked = rawRequest('OPTIONS * HTTP/1.1')
  const options = await sendRaw(edge.url, asked.repeat(2), { answers: 2 })
  t.equal(options.status, 204)
  t.equal(options.headers.get('allow'), 'GET, POST, PUT, PATCH, DELETE')
  t.match(options.body, 'HTTP/1.1 204 ', 'the connection serves the next request')
  const get = await sendRaw(edge.url, rawRequest('GET * HTTP/1.1', [`X-API-Key: ${testKey}`]))
  t.equal(get.status, 400)
  const withBody = rawRequest('OPTIONS * HTTP/1.1', ['Content-Length: 2'], '{}')
  t.equal((await sendRaw(edge.url, withBody)).status, 400)
  t.equal(backend.requests.length, 0)
  t.notMatch(await edge.metrics(), /gateway_limit_decisions_total\{/)
})

t.test('OPTIONS * is no call: it leaves no line in the log', async (t) => {
  const backend = await startRawBackend(t)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const edge = await startEdge(t, { backendUrl: backend.url, log })
  t.equal((await sendRaw(edge.url, rawRequest('OPTIONS * HTTP/1.1'))).status, 204)
  t.equal((await sendRaw(edge.url, rawRequest('GET /nothing HTTP/1.1'))).status, 404)
  await until('a line is logged', async () => lines.length > 0)
  t.match(lines[0], '"outcome":"NOT_FOUND"')
  t.equal(lines.length, 1)
})

t.test('a method cannot be overridden by a header', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  await fetch(`${edge.url}/v1.7.0/accounts`, {
    headers: {
      'x-api-key': testKey,
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-http-method': 'DELETE',
    },
  })
  const [request] = backend.requests
  t.equal(request?.method, 'GET')
  t.notOk([...(request?.headers.keys() ?? [])].some((name) => name.includes('method')))
})

t.test(
  'announcements of a deprecated version come with every answer under it and with no other',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const headers = { 'x-api-key': testKey }
    for (const path of ['/v1.6.0/accounts', `/v1.6.0${authorisation}`]) {
      for (const key of [testKey, 'wrong']) {
        const answer = await fetch(edge.url + path, { headers: { 'x-api-key': key } })
        t.equal(answer.headers.get('deprecation'), '@1713052800')
        t.equal(answer.headers.get('sunset'), 'Sun, 31 Oct 2027 00:00:00 GMT')
        // The successor does not have the read of an authorisation.
        const link = path.endsWith(authorisation)
          ? null
          : '</v1.7.0/accounts>; rel="successor-version"'
        t.equal(answer.headers.get('link'), link)
      }
    }
    const current = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
    t.equal(current.headers.get('deprecation'), null)
    t.equal(current.headers.get('sunset'), null)
  },
)

t.test('a retired version answers 410 and names its successor', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    catalogue: (published) => {
      const old = published.versions.get('xs2a@1.6.0')
      if (old === undefined) throw new Error('no 1.6.0')
      const lifecycle = { ...old.lifecycle, retired: '2027-12-01' }
      return {
        ...published,
        versions: new Map(published.versions).set('xs2a@1.6.0', { ...old, lifecycle }),
      }
    },
    now: () => Date.parse('2027-12-01T00:00:00Z'),
  })
  const answer = await fetch(`${edge.url}/v1.6.0/accounts`, { headers: { 'x-api-key': testKey } })
  t.equal(answer.status, 410)
  t.match(await answer.json(), { code: 'VERSION_RETIRED', successor: '1.7.0' })
  t.equal(backend.requests.length, 0)
})
