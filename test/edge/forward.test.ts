import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { unknownClient } from '../../src/platform/http/client-address.ts'
import { createRecordedAddress } from '../../src/platform/http/recorded-address.ts'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { callerOf, startEdge, type TestEdgeOptions, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { answerOk, type RawBackend, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { followTaken } from '../support/taken.ts'
import { until } from '../support/until.ts'

const get = 'GET /v1.7.0/accounts HTTP/1.1'
const key = `X-API-Key: ${testKey}`
const headers = { 'x-api-key': testKey }

async function start(
  t: Test,
  options: Partial<TestEdgeOptions> = {},
): Promise<{ backend: RawBackend; url: string }> {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, ...options })
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

t.test('only fields that the documents or HTTP know reach the backend', async (t) => {
  const { backend, url } = await start(t)
  const kept = [
    'Accept: application/json',
    'accept-language: he',
    'Content-Language: he',
    'Authorization: Bearer abc',
    'Digest: SHA-256=abc',
    'Signature: keyId="a"',
    'If-None-Match: "a"',
    'User-Agent: test/1',
    'Date: Sun, 22 Nov 2026 12:00:00 GMT',
    'TPP-Redirect-Preferred: true',
    'TPP-Brand-Logging-Information: a',
    'psu-ip-address: 203.0.113.7',
    'PSU-Accept-Charset: utf-8',
  ]
  const dropped = [
    'X-Original-URI',
    'X-Override-URL',
    'X-HTTP-Path-Override',
    'X-Envoy-Original-Path',
    'X-Accel-Redirect',
    'X-Sendfile',
    'CF-Connecting-IP',
    'Fastly-Client-IP',
    'Client-IP',
    'X-Cluster-Client-IP',
    'X-Remote-User',
    'X-User',
    'Client-Cert',
    'X-SSL-Client-Cert',
    'X-Host',
    'Base-Url',
    'Destination',
    'Proxy',
    'Cookie',
    'X-Anything',
  ]
  const strange = dropped.map((name) => `${name}: evil`)
  await sendRaw(url, rawRequest(get, [key, ...kept, ...strange]))
  const [request] = backend.requests
  t.notMatch(JSON.stringify([...(request?.headers ?? [])]), /evil/)
  for (const line of kept) {
    const [name = '', ...value] = line.split(': ')
    t.same(request?.headers.get(name.toLowerCase()), [value.join(': ')], name)
  }
})

t.test(
  'FORWARD_HEADERS lets more fields through, but none that only the gateway may set',
  async (t) => {
    const backend = await startRawBackend(t)
    const forwardHeaders = ['X-Correlation-ID', 'x-forwarded-for', 'Gateway-Identity', 'X-API-Key']
    const edge = await startEdge(t, { backendUrl: backend.url, forwardHeaders })
    const extra = ['x-correlation-id: c1', 'X-Forwarded-For: 6.6.6.6', 'Gateway-Identity: evil']
    await sendRaw(edge.url, rawRequest(get, [key, ...extra, 'X-Other: evil']))
    const [request] = backend.requests
    t.same(request?.headers.get('x-correlation-id'), ['c1'])
    t.notMatch(JSON.stringify([...(request?.headers ?? [])]), /evil|6\.6\.6\.6/)
    t.notOk(request?.headers.has('x-api-key'))
  },
)

t.test('an answer without content has no length', async (t) => {
  const { backend, url } = await start(t)
  for (const length of ['Content-Length: 0\r\n', '']) {
    backend.answer = (_request, socket) =>
      socket.write(`HTTP/1.1 204 No Content\r\n${length}X-A: b\r\n\r\n`)
    const answer = await sendRaw(url, rawRequest(get, [key]).repeat(2), { answers: 2 })
    t.equal(answer.status, 204)
    t.notOk(answer.headers.has('content-length'))
    t.equal(answer.headers.get('x-a'), 'b')
    t.match(answer.body, 'HTTP/1.1 204 ', 'the connection serves the next call')
  }
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

t.test('the backend gets the public host of the gateway, whatever the caller writes', async (t) => {
  const { backend, url } = await start(t, { publicUrl: 'https://api.bank.example:8443' })
  const named = rawRequest(get, [key]).replace(/Host: .*\r\n/i, 'Host: evil.example\r\n')
  for (const request of [named, rawRequest(get, [key, 'X-Forwarded-Host: evil.example'])])
    t.equal((await sendRaw(url, request)).status, 200)
  t.same(
    backend.requests.map(({ headers }) => headers.get('x-forwarded-host')),
    [['api.bank.example:8443'], ['api.bank.example:8443']],
  )
})

t.test(
  'the client of a trusted proxy is the address in its entry, with or without a port; without one it is unknown, never the proxy',
  async (t) => {
    const backend = await startRawBackend(t)
    const lines: unknown[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      trustedProxies: ['127.0.0.1'],
      log,
      accessLog: { mode: 'off' },
    })
    const told = async (forwarded: string) => {
      await sendRaw(edge.url, rawRequest(get, [key, `X-Forwarded-For: ${forwarded}`]))
      return backend.requests.at(-1)?.headers.get('x-forwarded-for')?.join()
    }
    for (const [entry, client] of [
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.7:41222', '203.0.113.7'],
      ['[2001:db8::7]:41222', '2001:db8::7'],
      ['[2001:db8::7]', '2001:db8::7'],
      ['2001:db8::7', '2001:db8::7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:203.0.113.7', '203.0.113.7'],
      ['::ffff:cb00:7107', '203.0.113.7'],
      ['2001:DB8:0:0::7', '2001:db8::7'],
      ['fe80::7%eth0', 'fe80::7'],
      ['[::ffff:203.0.113.7]:1', '203.0.113.7'],
      ['198.51.100.9:1, 203.0.113.7:41222', '203.0.113.7'],
      ['203.0.113.7:41222, 127.0.0.1:9', '203.0.113.7'],
      ['203.0.113.7, , ', '203.0.113.7'],
      ['127.0.0.1', '127.0.0.1'],
      [', ', '127.0.0.1'],
    ] as const)
      t.equal(await told(entry), client, entry)
    t.same(lines, [], 'nothing to warn of')
    for (const entry of [
      'unknown',
      '_hidden',
      '203.0.113.7, unknown',
      'for=203.0.113.7',
      '203.0.113.7:http',
      '[203.0.113.7]:80',
      '[2001:db8::7',
      '2001:db8::7]:443',
      '203.0.113:80',
      '203.0.113.7:',
      '203.0.113.7:123456',
      '"203.0.113.7"',
      '203.0.113.7 198.51.100.9',
    ])
      t.equal(await told(entry), 'unknown', entry)
    await sendRaw(edge.url, rawRequest(get, [key, 'Forwarded: for=203.0.113.7']))
    t.same(backend.requests.at(-1)?.headers.get('x-forwarded-for'), ['unknown'], 'Forwarded alone')
    t.match(lines, [{ entry: 'unknown', msg: /X-Forwarded-For.*with or without a port/ }])
    t.equal(lines.length, 1, 'once')
  },
)

t.test(
  'an unknown client is on no list of allowed addresses, in no record, and has no count of an address',
  async (t) => {
    const backend = await startRawBackend(t)
    const callers = new Map([
      [testKey, callerOf('app-1')],
      ['listed', callerOf('app-2', { allowedAddresses: ['0.0.0.0/0', '::/0'] })],
    ])
    const edge = await startEdge(t, {
      backendUrl: backend.url,
      trustedProxies: ['127.0.0.1'],
      callers,
      callLimits: { callsPerAddress: 1 },
    })
    const status = async (key: string, client: string) =>
      (
        await fetch(`${edge.url}/v1.7.0/accounts`, {
          headers: { 'x-api-key': key, 'x-forwarded-for': client },
        })
      ).status
    t.equal(await status('listed', '203.0.113.7:1'), 200)
    t.equal(await status('listed', 'unknown'), 403)
    const held: (() => void)[] = []
    backend.answer = (request, socket) => {
      held.push(() => answerOk(request, socket))
      if (held.length === 2) for (const answer of held) answer()
    }
    t.same(await Promise.all([status(testKey, 'unknown'), status(testKey, 'unknown')]), [200, 200])
    for (const mode of ['full', 'truncated', 'off'] as const)
      t.equal(createRecordedAddress(mode)(unknownClient), undefined, mode)
  },
)

t.test('with BACKEND_KEEP_IDLE_MS=0, each call has its own connection', async (t) => {
  for (const [backendKeepIdleMs, connections] of [
    [4_000, [0, 0]],
    [0, [0, 1]],
  ] as const) {
    const { backend, url } = await start(t, { backendLimits: { backendKeepIdleMs } })
    backend.answer = (_request, socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\nContent-Length: 0\r\n\r\n')
    for (const _time of [1, 2]) await fetch(`${url}/v1.7.0/accounts`, { headers })
    t.same(
      backend.requests.map(({ connection }) => connection),
      connections,
    )
  }
})

t.test('the identity says who calls which version of which API, for at most 60 s', async (t) => {
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
  })
  t.ok((claims.exp ?? 0) - (claims.iat ?? 0) <= 60)
})

t.test(
  'an X-Request-ID that is a UUID is echoed and forwarded, a missing one is made, another is left for the backend to refuse',
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
    const made = await fetch(`${url}/v1.7.0/accounts`, { headers })
    const madeId = made.headers.get('x-request-id') ?? ''
    t.match(madeId, /^[0-9a-f-]{36}$/)
    t.same(
      backend.requests.map((request) => request.headers.get('x-request-id')),
      [[id], ['not-a-uuid'], [madeId]],
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
  ['a first chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n'],
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

t.test('an answer that fails before its first octet is 502, and its client goes on', async (t) => {
  const { backend, url } = await start(t)
  const taken = followTaken(t)
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const declared = 'HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n'
  // The header block is there before the rest.
  const later = (socket: Socket, what: () => void) => {
    socket.on('error', () => undefined)
    void taken(socket).then(what)
  }
  const failures: readonly RawBackend['answer'][] = [
    (_request, socket) => void socket.write(`${chunked}no chunk\r\n`),
    (_request, socket) => {
      socket.write(chunked)
      later(socket, () => socket.write('no chunk\r\n'))
    },
    (_request, socket) => {
      socket.write(chunked)
      later(socket, () => socket.end())
    },
    (_request, socket) => {
      socket.write(declared)
      later(socket, () => resetConnection(socket))
    },
  ]
  const client = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => client.destroy())
  let text = ''
  client.on('data', (chunk) => {
    text += chunk.toString()
  })
  for (const [index, failure] of failures.entries()) {
    backend.answer = failure
    client.write(rawRequest(get, [key]))
    await until(
      'an answer has come',
      () => text.split('"BACKEND_BAD_RESPONSE"').length === index + 2,
    )
  }
  t.same(
    [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status),
    ['502', '502', '502', '502'],
  )
})

t.test(
  'a connection reset before an answer is 502, and an unsafe call is sent once; a GET goes out once more if the connection was used before',
  async (t) => {
    const { backend, url } = await start(t)
    const reset: RawBackend['answer'] = (_request, socket) => resetConnection(socket)
    /** The number of times that the backend resets. @returns status, arrivals and what is left of the limit */
    async function call(method: 'GET' | 'POST', resets: number) {
      backend.answer = answerOk
      const used = await fetch(`${url}/v1.7.0/accounts`, { headers })
      const before = backend.requests.length
      backend.answer = (request, socket) => {
        if (backend.requests.length - before <= resets) reset(request, socket)
        else answerOk(request, socket)
      }
      const answer = await fetch(`${url}/v1.7.0/${method === 'GET' ? 'accounts' : 'consents'}`, {
        method,
        headers,
        ...(method === 'POST' ? { body: '{}' } : {}),
      })
      const left = (of: Response) => Number(/;r=(\d+)/.exec(of.headers.get('ratelimit') ?? '')?.[1])
      return {
        status: answer.status,
        arrivals: backend.requests.length - before,
        counted: method === 'GET' ? left(used) - left(answer) : undefined,
      }
    }
    t.same(await call('POST', 1), { status: 502, arrivals: 1, counted: undefined })
    t.same(await call('GET', 1), { status: 200, arrivals: 2, counted: 1 })
    t.same(await call('GET', 2), { status: 502, arrivals: 2, counted: 1 })
  },
)

t.test(
  'a truncated answer cuts the connection of the client, so that it can be seen',
  async (t) => {
    const { backend, url } = await start(t)
    backend.answer = (_request, socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this')
    const answer = await sendRaw(url, rawRequest(get, [key]))
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
    let breakOff = () => {}
    backend.answer = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n')
      breakOff = () => void socket.destroy()
    }
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(rawRequest(get.replace('1.1', '1.0'), [key]))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (text.endsWith('begun')) breakOff()
    })
    const code = await new Promise((resolve) => {
      socket.on('end', () => resolve('an end')).on('error', (error) => resolve(error))
    })
    t.match(text, /\r\n\r\nbegun$/)
    t.match(code, { code: 'ECONNRESET' })
  },
)

t.test('a client that resets its connection ends its call at the backend', async (t) => {
  const { backend, url } = await start(t)
  let isEnded = false
  backend.answer = (_request, socket) => void socket.on('close', () => (isEnded = true))
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(rawRequest(get, [key]))
  await until('the backend has the call', () => backend.requests.length === 1)
  resetConnection(socket)
  // Sooner than the time limit of the call.
  await until('the connection to the backend ends', () => isEnded)
})

t.test(
  'a backend that accepts and stalls is 504 after ten seconds, with one attempt',
  async (t) => {
    let ahead = 0
    const { backend, url } = await start(t, { monotonic: () => performance.now() + ahead })
    backend.answer = () => {}
    const answering = fetch(`${url}/v1.7.0/accounts`, { headers })
    await until('the backend has the call', () => backend.requests.length === 1)
    ahead += 10_000
    const answer = await answering
    t.equal(answer.status, 504)
    t.match(await answer.json(), { code: 'BACKEND_TIMEOUT' })
    t.equal(backend.requests.length, 1)
  },
)

t.test('a client that pauses gets the rest, and the gateway waits for it only once', async (t) => {
  const warnings: string[] = []
  const warn = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', warn)
  t.teardown(() => process.off('warning', warn))
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  // One read of the gateway brings many chunks, and the client's side is full in the middle of some.
  const piece = `100\r\n${'x'.repeat(256)}\r\n`.repeat(150)
  const pieces = 270
  backend.answer = (_request, socket) => void sendPieces(socket)
  async function sendPieces(socket: Socket): Promise<void> {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    for (let sent = 0; sent < pieces; sent += 1) {
      if (!socket.write(piece)) await once(socket, 'drain')
      for (const _turn of [1, 2]) await new Promise(setImmediate)
    }
    socket.write('0\r\n\r\n')
  }
  const client = connect(Number(new URL(edge.url).port), '127.0.0.1')
  t.teardown(() => client.destroy())
  client.pause()
  let text = ''
  client.on('data', (octets) => {
    text += octets.toString('latin1')
  })
  const called = once(edge.server, 'request')
  client.write(rawRequest(get, [key]))
  const [, response]: ServerResponse[] = await called
  await until(
    'the gateway waits for the client',
    () => response?.socket?.writableNeedDrain === true,
  )
  client.resume()
  await until('all has come', () => text.endsWith('0\r\n\r\n'))
  t.equal(text.slice(text.indexOf('\r\n\r\n')).match(/x/g)?.length, pieces * 150 * 256)
  t.same(warnings, [])
})

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
