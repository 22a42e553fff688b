import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import t, { type Test } from 'tap'
import { startEdge, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { type RawBackend, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const get = 'GET /v1.7.0/accounts HTTP/1.1'
const key = `X-API-Key: ${testKey}`
const headers = { 'x-api-key': testKey }

async function start(t: Test): Promise<{ backend: RawBackend; url: string }> {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  return { backend, url: edge.url }
}

t.test('neither the key nor anything only the edge may say comes from the client', async (t) => {
  const { backend, url } = await start(t)
  await sendRaw(
    url,
    rawRequest(get, [
      key,
      'Gateway-Identity: evil',
      'X-INTERNAL-IDENTITY: evil',
      'Client-Id: evil',
      'TPP-Roles: evil',
      'X-Forwarded-For: 6.6.6.6',
      'X-Forwarded-Host: evil',
      'Forwarded: for=6.6.6.6',
      'X-Real-IP: 6.6.6.6',
      'X-Original-URL: /evil',
      'X-Rewrite-URL: /evil',
      'Via: 1.0 evil',
      'Connection: close, x-hop, gateway-identity, x-forwarded-for, content-length',
      'X-Hop: evil',
      'TE: trailers',
      'Consent-ID: c1',
      'PSU-User-Agent: a b',
    ]),
  )
  const [request] = backend.requests
  t.ok(request)
  const text = JSON.stringify([...(request?.headers ?? [])])
  t.notMatch(text, /evil|6\.6\.6\.6/)
  t.notOk(text.includes(testKey))
  t.equal(request?.headers.get('gateway-identity')?.length, 1)
  t.same(request?.headers.get('x-forwarded-for'), ['127.0.0.1'])
  t.same(request?.headers.get('x-forwarded-host'), ['127.0.0.1'])
  t.same(request?.headers.get('via'), ['1.1 tollgate'])
  t.same(request?.headers.get('consent-id'), ['c1'])
  t.same(request?.headers.get('psu-user-agent'), ['a b'])
})

t.test('what configured proxies say of the client is read from all their fields', async (t) => {
  const backend = await startRawBackend(t)
  const trustedProxies = ['127.0.0.0/8', '10.0.0.0/8']
  const edge = await startEdge(t, { backendUrl: backend.url, trustedProxies })
  const proxies = ['X-Forwarded-For: 6.6.6.6, 203.0.113.7', 'x-forwarded-for: 10.0.0.1']
  await sendRaw(edge.url, rawRequest(get, [key, ...proxies, 'X-FORWARDED-PROTO: https']))
  const doubled = ['X-Forwarded-Proto: https', 'X-Forwarded-Proto: https']
  await sendRaw(edge.url, rawRequest(get, [key, ...doubled, 'constructor: b']))
  t.same(
    backend.requests.map(({ headers }) => [
      headers.get('x-forwarded-for'),
      headers.get('x-forwarded-proto'),
    ]),
    [
      [['203.0.113.7'], ['https']],
      [['127.0.0.1'], ['http']],
    ],
  )
})

t.test(
  'the identity says who calls which operation of which version, for at most 60 s',
  async (t) => {
    const { backend, url } = await start(t)
    await fetch(`${url}/v1.6.0/accounts/a1`, { headers })
    const token = backend.requests[0]?.headers.get('gateway-identity')?.[0] ?? ''
    t.match(decodeProtectedHeader(token), { alg: 'EdDSA', typ: 'gateway-identity+jwt' })
    const claims = decodeJwt(token)
    t.match(claims, {
      iss: 'tollgate',
      aud: 'tollgate-backend',
      sub: 'app-1',
      api: 'xs2a',
      version: '1.6.0',
      operation: 'getAccount',
    })
    t.ok((claims.exp ?? 0) - (claims.iat ?? 0) <= 60)
  },
)

t.test(
  'an X-Request-ID that is a UUID is echoed and forwarded, another is left for the backend to refuse',
  async (t) => {
    const { backend, url } = await start(t)
    const id = '5b2c0a51-7f0a-4b1e-9a63-6a0f3a8c1d11'
    const missing = await fetch(`${url}/v1.7.0/nothing`, {
      headers: { ...headers, 'x-request-id': id },
    })
    t.equal(missing.headers.get('x-request-id'), id)
    t.match(await missing.json(), { instance: `urn:uuid:${id}` })

    await fetch(`${url}/v1.7.0/accounts`, { headers: { ...headers, 'x-request-id': id } })
    await fetch(`${url}/v1.7.0/accounts`, { headers: { ...headers, 'x-request-id': 'not-a-uuid' } })
    await fetch(`${url}/v1.7.0/accounts`, { headers })
    t.same(
      backend.requests.map((request) => request.headers.get('x-request-id')),
      [[id], ['not-a-uuid'], undefined],
    )
  },
)

t.test(
  'the answer passes unchanged but for the fields of its connection and product',
  async (t) => {
    const { backend, url } = await start(t)
    backend.answer = (_request, socket) =>
      socket.write(
        'HTTP/1.1 201 Created\r\nServer: secret/1.0\r\nX-Powered-By: x\r\nConnection: keep-alive, x-drop\r\nX-Drop: 1\r\nConnection: x-drop-too\r\nX-Drop-Too: 1\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\nRateLimit: forged\r\nLocation: /v1.7.0/consents/c1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
      )
    const answer = await fetch(`${url}/v1.7.0/consents`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    })
    t.equal(answer.status, 201)
    t.equal(await answer.text(), '{"a":1}')
    t.equal(answer.headers.get('location'), '/v1.7.0/consents/c1')
    t.same(answer.headers.getSetCookie(), ['a=1', 'b=2'])
    for (const name of ['server', 'x-powered-by', 'x-drop', 'x-drop-too'])
      t.equal(answer.headers.get(name), null, name)
    t.match(answer.headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/)
  },
)

t.test('a backend that cannot be reached is 502 without its address', async (t) => {
  const edge = await startEdge(t, { backendUrl: 'http://127.0.0.1:9' })
  const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
  t.equal(answer.status, 502)
  t.equal(answer.headers.get('retry-after'), '1')
  const text = await answer.text()
  t.match(JSON.parse(text), { code: 'BACKEND_UNREACHABLE' })
  t.notMatch(text, /127\.0\.0\.1|ECONN/)
})

const garbage: ReadonlyArray<readonly [name: string, bytes: string]> = [
  ['garbage', 'SSH-2.0-OpenSSH_9\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nab'],
  [
    'switching protocols',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ],
  ['204 with a length', 'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello'],
  ['a status below 100', 'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'],
  ['interim answers without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)],
  ['1 MiB of headers', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(130_000)}\r\n`],
]
for (const [name, bytes] of garbage) {
  t.test(`a backend answering ${name} is 502`, async (t) => {
    const { backend, url } = await start(t)
    backend.answer = (_request, socket) => socket.end(bytes)
    const answer = await fetch(`${url}/v1.7.0/accounts`, { headers })
    t.equal(answer.status, 502)
    t.match(await answer.json(), { code: 'BACKEND_BAD_RESPONSE' })
  })
}

t.test('a connection reset before an answer is 502 and the call is sent once', async (t) => {
  const { backend, url } = await start(t)
  await fetch(`${url}/v1.7.0/accounts`, { headers })
  backend.answer = (_request, socket) => socket.resetAndDestroy()
  for (const method of ['GET', 'POST']) {
    const before = backend.requests.length
    const answer = await fetch(`${url}/v1.7.0/${method === 'GET' ? 'accounts' : 'consents'}`, {
      method,
      headers,
      ...(method === 'POST' ? { body: '{}' } : {}),
    })
    t.equal(answer.status, 502)
    t.equal(backend.requests.length - before, 1, method)
  }
})

t.test(
  'a truncated answer cuts the connection of the client, so that it can be seen',
  async (t) => {
    const { backend, url } = await start(t)
    backend.answer = (_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this')
    const answer = await sendRaw(url, rawRequest(get, [key]), 3000)
    t.equal(answer.status, 200)
    t.ok(answer.isClosed)
    await t.rejects(
      fetch(`${url}/v1.7.0/accounts`, { headers }).then((truncated) => truncated.text()),
    )
  },
)

t.test(
  'to a client that speaks 1.0 a truncated answer without a length does not look whole',
  async (t) => {
    const { backend, url } = await start(t)
    backend.answer = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n')
      setTimeout(() => socket.destroy(), 100)
    }
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(rawRequest(get.replace('1.1', '1.0'), [key]))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    const code = await new Promise((resolve) => {
      socket.on('end', () => resolve('an end')).on('error', (error) => resolve(error))
    })
    t.match(text, /\r\n\r\nbegun$/)
    t.match(code, { code: 'ECONNRESET' })
  },
)

t.test('a client that leaves ends its call at the backend', async (t) => {
  const { backend, url } = await start(t)
  const closed = new Promise<void>((resolve) => {
    backend.answer = (_request, socket) => {
      socket.on('close', () => resolve())
    }
  })
  const abort = new AbortController()
  const call = fetch(`${url}/v1.7.0/accounts`, { headers, signal: abort.signal }).catch(
    () => undefined,
  )
  while (backend.requests.length === 0) await delay(5)
  abort.abort()
  await Promise.all([closed, call])
  t.pass('the connection to the backend ended')
})

t.test(
  'a backend that accepts and stalls is 504 after ten seconds, with one attempt',
  async (t) => {
    const { backend, url } = await start(t)
    backend.answer = () => {}
    const startedAt = performance.now()
    const answer = await fetch(`${url}/v1.7.0/accounts`, { headers })
    t.equal(answer.status, 504)
    t.match(await answer.json(), { code: 'BACKEND_TIMEOUT' })
    t.ok(performance.now() - startedAt < 15_000)
    t.equal(backend.requests.length, 1)
  },
)

t.test('a download of 10 MB passes byte for byte', async (t) => {
  const size = 10_000_000
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
      socket.end(Buffer.alloc(size, 'x'))
    })
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const edge = await startEdge(t, { backendUrl: `http://127.0.0.1:${port}` })
  const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers })
  const body = Buffer.from(await answer.arrayBuffer())
  t.ok(body.equals(Buffer.alloc(size, 'x')))
})
