import t from 'tap'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import type { Test } from '../support/database.ts'
import type { TestEdgeOptions } from '../support/edge.ts'
import { ownApis, ownDocument, startOwnApis } from '../support/own-apis.ts'
import { startRawBackend } from '../support/raw-backend.ts'

/** An edge that publishes these documents, and a function that calls it. */
async function start(
  t: Test,
  files: Readonly<Record<string, string | object>>,
  options: TestEdgeOptions,
) {
  return startOwnApis(t, await loadCatalogue(ownApis(t, files)), options)
}

const server = (url: string) => ({ servers: [{ url }] })

t.test('no call waits until a document is read, however large it may be', async (t) => {
  const backend = await startRawBackend(t)
  const document = ownDocument(['GET /orders'], {
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        query: { type: 'apiKey', in: 'query', name: 'api_key' },
      },
    },
  })
  const loaded = await loadCatalogue(ownApis(t, { 'a/1.json': document }))
  const versions = [...loaded.versions].map(([key, version]) => {
    const read = () => t.fail('the document was read')
    return [key, { ...version, document: { ...version.document, read: read as never } }] as const
  })
  const portalUrl = 'https://portal.example'
  const { call } = await startOwnApis(
    t,
    { ...loaded, versions: new Map(versions) },
    { backendUrl: backend.url, portalUrl },
  )
  const origin = `Origin: ${portalUrl}`
  const preflight = await call('OPTIONS /v1/orders', [origin, 'Access-Control-Request-Method: GET'])
  t.match(preflight.headers.get('access-control-allow-headers'), /X-API-Key.*Authorization/)
  t.equal((await call('GET /v1/orders?api_key=1', [origin])).status, 200)
  t.equal((await call('GET /v1/orders?x-api-key=1', [origin])).status, 401)
})

t.test(
  'a version is published under its prefix, and the backend gets the base path of its own',
  async (t) => {
    const backend = await startRawBackend(t)
    const { call } = await start(
      t,
      {
        'a/4.json': ownDocument(['GET /orders'], server('https://api.example.com/v4/')),
        'b/4.0.json': ownDocument(['GET /orders']),
        'c/1.json': ownDocument(['GET /orders'], {
          ...server('https://api.example.com/v4'),
          'x-tollgate': { prefix: '/pay/v4' },
        }),
        'd/1.json': ownDocument(['GET /orders', 'GET /'], { 'x-tollgate': { prefix: '/' } }),
        'e/1.json': ownDocument(['GET /orders'], {
          'x-tollgate': { prefix: '/e', backend: `${backend.url}/below/it/` },
        }),
        'f/1.json': ownDocument(['GET /orders'], {
          servers: [
            {
              url: '{scheme}://{host}/{base}',
              variables: {
                scheme: { default: 'https' },
                host: { default: 'api.example.com' },
                base: { default: 'f' },
              },
            },
          ],
        }),
        'g/1.yaml':
          'swagger: "2.0"\ninfo: { title: G, version: "1" }\nbasePath: /g\npaths: { /orders: { get: { responses: { 200: { description: a } } } } }\n',
      },
      { backendUrl: backend.url },
    )
    for (const [path, expected] of [
      ['/v4/orders?a=%2F', '/v4/orders?a=%2F'],
      ['/v4.0/orders', '/orders'],
      ['/pay/v4/orders', '/v4/orders'],
      ['/orders', '/orders'],
      ['/', '/'],
      ['/e/orders', '/below/it/orders'],
      ['/f/orders', '/f/orders'],
      ['/g/orders', '/g/orders'],
    ] as const) {
      t.equal((await call(`GET ${path}`)).status, 200, path)
      t.equal(backend.requests.at(-1)?.target, expected, path)
    }
    const { body } = await call('GET /pay/v4/order')
    t.match(JSON.parse(body), { code: 'NOT_FOUND', didYouMean: '/pay/v4/orders' })
    t.match(JSON.parse((await call('GET /pay/v3/orders')).body), { didYouMean: '/pay/v4/orders' })
  },
)

t.test(
  'a document names the backend of its version, unless the settings name one for its API or for all',
  async (t) => {
    const [rest, ofDocument, ofApi] = [
      await startRawBackend(t),
      await startRawBackend(t),
      await startRawBackend(t),
    ]
    const own = { 'x-tollgate': { backend: ofDocument.url } }
    const files = {
      'a/1.json': ownDocument(['GET /a']),
      'a/2.json': ownDocument(['GET /a'], own),
      'b/1.json': ownDocument(['GET /b'], { 'x-tollgate': { ...own['x-tollgate'], prefix: '/b' } }),
    }
    const backendUrls = new Map([['b', ofApi.url]])
    const first = await start(t, files, { backendUrl: rest.url, backendUrls })
    await first.call('GET /v1/a')
    await first.call('GET /v2/a')
    await first.call('GET /b/b')
    const targets = (backend: typeof rest) => backend.requests.map(({ target }) => target)
    t.same([rest, ofDocument, ofApi].map(targets), [['/a'], ['/a'], ['/b']])
    const metrics = await first.edge.metrics()
    for (const backend of ['*', 'b', 'a@2']) t.ok(metrics.includes(`backend="${backend}"`), backend)
    const second = await start(t, files, { backendUrl: rest.url, isBackendUrlSet: true })
    await second.call('GET /v2/a')
    t.equal(rest.requests.length, 2)
    t.equal(ofDocument.requests.length, 1)
  },
)

t.test(
  'text and parameters may share a segment; each operation is counted by itself, whatever the spelling of an id',
  async (t) => {
    const backend = await startRawBackend(t)
    const { call } = await start(
      t,
      {
        'a/1.json': ownDocument([
          'GET /things/{id}',
          'POST /things/{id}:close',
          'GET /things/{id}.json',
          'GET /things/{id}A',
          'GET /things/{a}3{b}',
          'GET /things/',
          'GET /{a}-{b}/x y',
        ]),
      },
      { backendUrl: backend.url },
    )
    for (const [line, expected, left] of [
      ['GET /v1/things/urn:a:1', '/things/urn:a:1', 99],
      ['GET /v1/things/urn%3aa%3A1', '/things/urn:a:1', 98],
      ['POST /v1/things/urn:a:1:close', '/things/urn:a:1:close', 99],
      ['GET /v1/things/a%20b.json', '/things/a%20b.json', 99],
      ['GET /v1/things/a%C3%AAb', '/things/a%C3%AAb', 97],
      ['GET /v1/things/', '/things/', 99],
      ['GET /v1/1-2/x%20y', '/1-2/x%20y', 99],
    ] as const) {
      const answer = await call(line, line.startsWith('POST') ? ['Content-Length: 0'] : [])
      t.equal(answer.status, 200, line)
      t.equal(backend.requests.at(-1)?.target, expected, line)
      t.match(answer.headers.get('ratelimit') ?? '', new RegExp(`r=${left}\\b`), line)
    }
    const before = backend.requests.length
    t.equal((await call('GET /v1/things/a%20')).status, 400)
    for (const [line, status] of [
      ['POST /v1/things/a%3Aclose', 400],
      ['GET /v1/things/a%2Ejson', 400],
      ['GET /v1/%74hings/a', 400],
      ['GET /v1/things/a:close', 405],
      ['GET /v1/things', 404],
      ['GET /v1/things//', 400],
    ] as const) {
      const answer = await call(line, line.startsWith('POST') ? ['Content-Length: 0'] : [])
      t.equal(answer.status, status, line)
    }
    t.equal(backend.requests.length, before, 'none of them reaches the backend')
  },
)

t.test(
  'addresses and ids of the open-banking standards reach the backend octet for octet, and each operation is counted by itself',
  async (t) => {
    const backend = await startRawBackend(t)
    const { call } = await start(
      t,
      {
        'berlin/1.3.json': ownDocument(
          [
            'POST /v1/consents',
            'GET /v1/consents/{consentId}',
            'GET /v1/consents/{consentId}/status',
            'POST /v1/{payment-service}/{payment-product}',
            'GET /v1/{payment-service}/{payment-product}/{paymentId}',
          ],
          { 'x-tollgate': { prefix: '/' } },
        ),
        'uk/4.0.json': ownDocument(
          ['GET /accounts', 'GET /accounts/{AccountId}/balances'],
          server('https://bank.example/open-banking/v4.0/aisp'),
        ),
        'uk-payments/4.0.json': ownDocument(
          ['POST /domestic-payment-consents'],
          server('/open-banking/v4.0/pisp'),
        ),
        'brazil/4.json': ownDocument(
          ['GET /consents/{consentId}', 'GET /pix/payments/{paymentId}'],
          server('https://bank.example/open-banking/payments/v4'),
        ),
      },
      { backendUrl: backend.url },
    )
    const adorsys = 'RjAK-oNoXGHfyLL3h1yNlH_cMJMEcyuFUUM=_=_psGLvQpt9Q'
    for (const [line, left] of [
      ['POST /v1/consents', 99],
      [`GET /v1/consents/${adorsys}`, 99],
      [`GET /v1/consents/${adorsys}`, 98],
      [`GET /v1/consents/${adorsys}/status`, 99],
      ['POST /v1/payments/sepa-credit-transfers', 99],
      [`GET /v1/payments/sepa-credit-transfers/${adorsys}`, 99],
      ['GET /open-banking/v4.0/aisp/accounts', 99],
      ['GET /open-banking/v4.0/aisp/accounts/22289/balances', 99],
      ['POST /open-banking/v4.0/pisp/domestic-payment-consents', 99],
      ['GET /open-banking/payments/v4/consents/urn:bancoex:C1DD33123', 99],
      ['GET /open-banking/payments/v4/pix/payments/TXpRMU9UQTROMWhZV2xSU1FUazJSMDl', 99],
    ] as const) {
      const answer = await call(line, line.startsWith('POST') ? ['Content-Length: 0'] : [])
      t.equal(answer.status, 200, line)
      const { method, target } = backend.requests.at(-1) ?? {}
      t.equal(`${method} ${target}`, line)
      t.match(answer.headers.get('ratelimit') ?? '', new RegExp(`r=${left}\\b`), line)
    }
  },
)

t.test('the successor of a version is linked under its own prefix', async (t) => {
  const backend = await startRawBackend(t)
  const lifecycle = { deprecated: '2026-01-01', successor: '2' }
  const { call } = await start(
    t,
    {
      'a/1.json': ownDocument(['GET /things/{id}'], {
        'x-tollgate': { prefix: '/old', lifecycle },
      }),
      'a/2.json': ownDocument(['GET /things/{id}'], { 'x-tollgate': { prefix: '/new/v2' } }),
    },
    { backendUrl: backend.url },
  )
  const answer = await call('GET /old/things/1')
  t.equal(answer.headers.get('link'), '</new/v2/things/1>; rel="successor-version"')
})

const sent = [
  'Cookie: a=b',
  'Authorization: Bearer t',
  'X-Own: 1',
  'Idempotency-Key: 2',
  'X-Declared: 3',
  'X-Token: 4',
  'X-Remote-User: root',
  'CF-Connecting-IP: 192.0.2.1',
  'X-Forwarded-For: 192.0.2.1',
  'X-HTTP-Method-Override: DELETE',
  'X-Original-URL: /admin',
  'Gateway-Identity: forged',
]

/** Names of the sent fields that reached the backend. */
function passed(headers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const values = sent.map((field) => field.split(': ') as [string, string])
  return values
    .filter(([name, value]) => headers.get(name.toLowerCase())?.includes(value) === true)
    .map(([name]) => name)
}

t.test(
  'all end-to-end fields reach the backend but those of an edge; or only declared ones, if the document asks for that',
  async (t) => {
    const backend = await startRawBackend(t)
    const declared = {
      components: { securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Token' } } },
      paths: {
        '/a': {
          get: {
            parameters: [{ name: 'X-Declared', in: 'header', schema: { type: 'string' } }],
            responses: { 200: { description: 'done' } },
          },
        },
      },
    }
    const { call } = await start(
      t,
      {
        'a/1.json': ownDocument([], declared),
        'b/2.json': ownDocument([], { ...declared, 'x-tollgate': { forwardHeaders: 'declared' } }),
      },
      { backendUrl: backend.url },
    )
    await call('GET /v1/a', sent)
    const own = ['Cookie', 'Authorization', 'X-Own', 'Idempotency-Key', 'X-Declared', 'X-Token']
    t.same(passed(backend.requests.at(-1)?.headers ?? new Map()), own)
    await call('GET /v2/a', sent)
    t.same(passed(backend.requests.at(-1)?.headers ?? new Map()), [
      'Authorization',
      'X-Declared',
      'X-Token',
    ])
  },
)

t.test(
  'a key in the query reaches the backend where the document declares it, and is refused elsewhere',
  async (t) => {
    const backend = await startRawBackend(t)
    const key = { type: 'apiKey', in: 'query', name: 'api_key' }
    const parameters = [{ name: 'apikey', in: 'query', schema: { type: 'string' } }]
    const { call } = await start(
      t,
      {
        'a/1.json': ownDocument(['GET /a'], { components: { securitySchemes: { key } } }),
        'b/2.json': ownDocument([], {
          paths: { '/a': { get: { parameters, responses: { 200: { description: 'done' } } } } },
        }),
        'c/3.json': ownDocument(['GET /a']),
      },
      { backendUrl: backend.url },
    )
    for (const target of ['/v1/a?api_key=1', '/v1/a?x=1&api%5Fkey=%2F', '/v2/a?apikey=1']) {
      t.equal((await call(`GET ${target}`)).status, 200, target)
      t.equal(backend.requests.at(-1)?.target, target.slice('/v1'.length), 'untouched')
    }
    for (const target of [
      '/v1/a?apikey=1',
      '/v1/a?API_KEY=1',
      '/v1/a?api_key=1&x-api-key=1',
      '/v1/a?api_key=tg_AbCdEf123456_secret',
      '/v2/a?api_key=1',
      '/v3/a?api_key=1',
    ]) {
      const answer = await call(`GET ${target}`)
      t.match([answer.status, JSON.parse(answer.body)], [401, { code: 'KEY_MISSING' }], target)
    }
    t.equal(backend.requests.length, 3)
  },
)

t.test('a GET or DELETE may have a body only where the document describes one', async (t) => {
  const backend = await startRawBackend(t)
  const body = { content: { 'application/json': {} } }
  const responses = { 200: { description: 'done' } }
  const { call } = await start(
    t,
    {
      'a/1.json': ownDocument([], {
        paths: {
          '/a': { get: { requestBody: body, responses }, delete: { responses } },
        },
      }),
    },
    { backendUrl: backend.url },
  )
  const fields = ['Content-Type: application/json', 'Content-Length: 2']
  t.equal((await call('GET /v1/a', fields, '{}')).status, 200)
  t.equal(backend.requests.at(-1)?.body, '{}')
  const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
  t.equal((await call('GET /v1/a', chunked, '2\r\n{}\r\n0\r\n\r\n')).status, 200)
  t.same(backend.requests.at(-1)?.headers.get('content-length'), ['2'])
  const answer = await call('DELETE /v1/a', fields, '{}')
  t.match([answer.status, JSON.parse(answer.body)], [400, { code: 'FRAMING_INVALID' }])
})
