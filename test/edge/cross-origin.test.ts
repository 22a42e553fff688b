import t, { type Test } from 'tap'
import { hourly, startEdge, testKey } from '../support/edge.ts'
import { startRawBackend } from '../support/raw-backend.ts'
import { type RawAnswer, rawRequest, sendRaw } from '../support/raw-client.ts'

const portalUrl = 'http://127.0.0.1:8081'
const accounts = '/v1.7.0/accounts'
const key = `X-API-Key: ${testKey}`

const openAnswer = [
  'HTTP/1.1 200 OK',
  'Content-Length: 2',
  'Access-Control-Allow-Origin: *',
  'access-control-allow-credentials: true',
  'Access-Control-Expose-Headers: X-Secret',
  'X-Secret: 1',
]

/** A gateway beside a portal on loopback; its backend tries to open its answers to every origin. */
async function start(test: Test, options: { portalUrl?: string; calls?: number } = {}) {
  const backend = await startRawBackend(test)
  backend.answer = (_request, socket) => {
    socket.write(`${openAnswer.join('\r\n')}\r\n\r\nok`)
  }
  const { calls = 1000 } = options
  const edge = await startEdge(test, {
    backendUrl: backend.url,
    portalUrl: options.portalUrl ?? portalUrl,
    plan: {
      limits: [{ name: 'default', calls, ...hourly }],
    },
    authFailuresPerMinute: 5,
    // In the middle of an hour.
    now: () => Date.parse('2026-11-20T14:20:03Z'),
  })
  const ask = (path: string, method: string | undefined, origin: string, extra: string[] = []) =>
    sendRaw(
      edge.url,
      rawRequest(`OPTIONS ${path} HTTP/1.1`, [
        `Origin: ${origin}`,
        ...(method === undefined ? [] : [`Access-Control-Request-Method: ${method}`]),
        'Connection: close',
        ...extra,
      ]),
    )
  const call = (extra: string[], path = accounts) =>
    sendRaw(edge.url, rawRequest(`GET ${path} HTTP/1.1`, ['Connection: close', ...extra]))
  return { backend, edge, ask, call }
}

/** The names of the fields that speak to browsers. */
function crossOriginFields({ headers }: RawAnswer): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort()
}

t.test(
  'a preflight of the portal is answered from the document, without a key, uncounted and not forwarded',
  async (t) => {
    const { backend, edge, ask, call } = await start(t)
    const answer = await ask('/v1.7.0/consents/c1', 'DELETE', portalUrl)
    t.equal(answer.status, 204)
    t.equal(answer.body, '')
    t.same(crossOriginFields(answer), [
      'access-control-allow-headers',
      'access-control-allow-methods',
      'access-control-allow-origin',
      'access-control-max-age',
    ])
    t.equal(answer.headers.get('access-control-allow-origin'), portalUrl)
    t.equal(answer.headers.get('access-control-allow-methods'), 'DELETE, GET')
    t.equal(answer.headers.get('vary'), 'Origin')
    const names = (answer.headers.get('access-control-allow-headers') ?? '').split(', ')
    t.same(names.slice(0, 2), ['X-API-Key', 'Content-Type'])
    t.ok(names.includes('X-Request-ID'))
    t.notOk(names.includes('Consent-ID'), 'a header of other operations only')
    t.ok(
      (await ask(accounts, 'GET', portalUrl)).headers
        .get('access-control-allow-headers')
        ?.includes('Consent-ID'),
    )

    t.equal(backend.requests.length, 0)
    const counted = await call([key])
    t.equal(counted.headers.get('x-ratelimit-remaining'), '999', 'the first call that counts')
    t.match(await edge.metrics(), /outcome="preflight"\} 2/)
  },
)

t.test('on loopback the names of one port are one origin; nothing else is', async (t) => {
  const { ask, call } = await start(t)
  for (const origin of ['http://localhost:8081', 'http://127.0.0.1:8081', 'http://[::1]:8081']) {
    const answer = await ask(accounts, 'GET', origin)
    t.equal(answer.status, 204, origin)
    t.equal(answer.headers.get('access-control-allow-origin'), origin)
    t.equal(
      (await call([key, `Origin: ${origin}`])).headers.get('access-control-allow-origin'),
      origin,
    )
  }
  for (const origin of [
    'null',
    '*',
    '',
    'https://evil.example',
    'http://127.0.0.1:8081.evil.example',
    'http://127.0.0.1:8081@evil.example',
    'http://evil.example#http://127.0.0.1:8081',
    'http://127.0.0.1:8082',
    'http://127.0.0.1',
    'http://127.0.0.2:8081',
    'http://127.1:8081',
    'https://127.0.0.1:8081',
    'HTTP://127.0.0.1:8081',
    'http://LOCALHOST:8081',
    'http://localhost.:8081',
    'http://127.0.0.1:8081/',
    'http://127.0.0.1:8081 http://evil.example',
    'http://127.0.0.1:8081, http://evil.example',
  ]) {
    const asked = await ask(accounts, 'GET', origin)
    t.equal(asked.status, 405, origin)
    t.same(crossOriginFields(asked), [], origin)
    const called = await call([key, `Origin: ${origin}`])
    t.equal(called.status, 200, origin)
    t.same(crossOriginFields(called), [], origin)
    t.equal(called.headers.get('vary'), undefined)
  }
})

t.test('a public portal is one origin, written as browsers write it', async (t) => {
  const { ask } = await start(t, { portalUrl: 'https://Developer.Bank.example:443' })
  t.equal((await ask(accounts, 'GET', 'https://developer.bank.example')).status, 204)
  for (const origin of [
    'http://developer.bank.example',
    'https://developer.bank.example:443',
    'https://developer.bank.example:8443',
    'https://bank.example',
    'https://a.developer.bank.example',
    'http://localhost:443',
  ]) {
    t.equal((await ask(accounts, 'GET', origin)).status, 405, origin)
  }
})

t.test('what is no preflight for a published operation is refused as ever', async (t) => {
  const { backend, ask } = await start(t)
  t.equal((await ask(accounts, undefined, portalUrl)).status, 405, 'without a method')
  for (const method of ['PATCH', 'OPTIONS', 'get', 'GET, DELETE', '', '*', 'POST']) {
    const answer = await ask(accounts, method, portalUrl)
    t.equal(answer.status, 405, method)
    t.equal(answer.headers.get('allow'), 'GET')
  }
  t.equal((await ask('/v1.7.0/nothing', 'GET', portalUrl)).status, 404)
  t.equal((await ask('/v1.7.0//accounts', 'GET', portalUrl)).status, 400)
  const whole = await ask('*', 'GET', portalUrl)
  t.notOk(whole.headers.has('access-control-allow-methods'), 'OPTIONS * is no preflight')
  const withBody = await ask(accounts, 'GET', portalUrl, ['Content-Length: 2', '', 'ok'])
  t.equal(withBody.status, 405)
  const chunked = await ask(accounts, 'GET', portalUrl, ['Transfer-Encoding: chunked', '', '0', ''])
  t.equal(chunked.status, 405)
  t.equal(backend.requests.length, 0)
})

t.test('what a browser asks for is never repeated in the answer', async (t) => {
  const { ask } = await start(t)
  const usual = await ask(accounts, 'GET', portalUrl)
  for (const fields of [
    ['Access-Control-Request-Headers: x-evil, authorization, cookie'],
    ['Access-Control-Request-Headers: *'],
    ['Access-Control-Request-Headers: a\tb, "c";d=\x80, x-api-key'],
    [`Access-Control-Request-Headers: ${'x-a,'.repeat(2000)}`],
    ['Access-Control-Request-Headers: x-api-key', 'Access-Control-Request-Headers: x-evil'],
    ['Access-Control-Request-Private-Network: true'],
    ['Cookie: a=b', 'X-API-Key: tg_wrong'],
  ]) {
    const answer = await ask(accounts, 'GET', portalUrl, fields)
    t.equal(answer.status, 204)
    const withoutDate = (text: string): string => text.replace(/Date: .*/i, '')
    t.equal(withoutDate(answer.text), withoutDate(usual.text))
  }
})

t.test(
  'the page may read every answer to its calls, with what the answers declare; never those of the backend’s choice',
  async (t) => {
    const { call } = await start(t, { calls: 1 })
    const origin = `Origin: ${portalUrl}`
    const answers: [string, RawAnswer, number][] = [
      ['admitted', await call([key, origin]), 200],
      ['over the limit', await call([key, origin]), 429],
      ['without a key', await call([origin]), 401],
      ['unknown', await call([key, origin], '/v1.7.0/nothing'), 404],
      ['not canonical', await call([key, origin], '/v1.7.0/%2e'), 400],
      ['a header refused', await call([key, origin, 'a_b: c']), 400],
      ['deprecated', await call([origin], '/v1.6.0/accounts'), 401],
    ]
    for (const [name, answer, status] of answers) {
      t.equal(answer.status, status, name)
      t.same(
        crossOriginFields(answer),
        ['access-control-allow-origin', 'access-control-expose-headers'],
        name,
      )
      t.equal(answer.headers.get('access-control-allow-origin'), portalUrl, name)
      t.equal(answer.headers.get('vary'), 'Origin', name)
      const exposed = answer.headers.get('access-control-expose-headers') ?? ''
      for (const field of ['RateLimit', 'Retry-After', 'X-Request-ID', 'Location', 'Sunset']) {
        t.ok(exposed.split(', ').includes(field), `${name}: ${field}`)
      }
      t.notOk(exposed.includes('X-Secret'))
    }
    const posted = await call([key, origin], '/v1.7.0/accounts?a=b')
    t.equal(posted.headers.get('access-control-allow-origin'), portalUrl)
  },
)

t.test('the answers of an operation are read with the fields its document declares', async (t) => {
  const { edge } = await start(t)
  const answer = await sendRaw(
    edge.url,
    rawRequest('POST /v1.7.0/consents HTTP/1.1', [
      `Origin: ${portalUrl}`,
      'Content-Length: 0',
      'Connection: close',
    ]),
  )
  t.equal(answer.status, 401)
  const exposed = answer.headers.get('access-control-expose-headers') ?? ''
  t.ok(exposed.includes('ASPSP-SCA-Approach'), exposed)
  t.equal(new Set(exposed.split(', ')).size, exposed.split(', ').length, 'each once')
})

t.test('preflights are no failed attempts, however many come from one address', async (t) => {
  const { ask, call } = await start(t)
  for (let count = 0; count < 100; count++) {
    t.equal((await ask(accounts, 'GET', portalUrl, ['X-API-Key: tg_wrong'])).status, 204)
  }
  t.equal((await call([`Origin: ${portalUrl}`])).status, 401, 'not 429')
})

t.test('what a document names a field without being one reaches no answer', async (t) => {
  const odd = ['X-Odd\r\nSet-Cookie: forged=1', 'X-Old\u010a\u010dX-Forged: 1', 'X Blank', '']
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    portalUrl,
    catalogue: (published) => ({
      ...published,
      versions: new Map(
        [...published.versions].map(([name, version]) => [
          name,
          {
            ...version,
            operations: version.operations.map((operation) => ({
              ...operation,
              declared: { ...operation.declared, responseHeaders: [...odd, 'X-Sound'] },
            })),
          },
        ]),
      ),
    }),
  })
  backend.answer = (_request, socket) => {
    const fields = ['Date: Sun, 06 Nov 1994 08:49:37 GMT', 'Content-Length: 2']
    socket.write(`HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\n\r\nok`)
  }
  for (const connection of ['keep-alive', 'close']) {
    const answer = await sendRaw(
      edge.url,
      rawRequest(`GET ${accounts} HTTP/1.1`, [
        key,
        `Origin: ${portalUrl}`,
        `Connection: ${connection}`,
      ]),
    )
    t.equal(answer.status, 200)
    t.notMatch(answer.text, /forged|Odd|Old|Blank/i)
    t.match(answer.headers.get('access-control-expose-headers'), /, X-Sound$/)
  }
})
