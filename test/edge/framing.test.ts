import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'

const post = 'POST /v1.7.0/consents HTTP/1.1'
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const key = `X-API-Key: ${testKey}`
const json = 'Content-Type: application/json'

interface Case {
  readonly name: string
  readonly bytes: string
  readonly status: number
  readonly code?: string
  readonly detail?: RegExp
}

const refused: readonly Case[] = [
  {
    name: 'CL.TE',
    bytes: rawRequest(post, [key, 'Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    status: 400,
  },
  {
    name: 'two different lengths',
    bytes: rawRequest(post, [key, 'Content-Length: 5', 'Content-Length: 6'], 'abcde'),
    status: 400,
  },
  {
    name: 'two equal lengths',
    bytes: rawRequest(post, [key, 'Content-Length: 5', 'Content-Length: 5'], 'abcde'),
    status: 400,
  },
  {
    name: 'length list',
    bytes: rawRequest(post, [key, 'Content-Length: 5, 5'], 'abcde'),
    status: 400,
  },
  {
    name: 'signed length',
    bytes: rawRequest(post, [key, 'Content-Length: +5'], 'abcde'),
    status: 400,
  },
  {
    name: 'negative length',
    bytes: rawRequest(post, [key, 'Content-Length: -1'], 'abcde'),
    status: 400,
  },
  {
    name: 'space before colon',
    bytes: rawRequest(post, [key, 'Transfer-Encoding : chunked'], '0\r\n\r\n'),
    status: 400,
  },
  {
    name: 'xchunked',
    bytes: rawRequest(post, [key, 'Transfer-Encoding: xchunked'], '0\r\n\r\n'),
    status: 501,
  },
  {
    name: 'gzip, chunked',
    bytes: rawRequest(post, [key, 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
    status: 501,
  },
  {
    name: 'empty coding with length',
    bytes: rawRequest(post, [key, 'Transfer-Encoding:', 'Content-Length: 5'], 'abcde'),
    status: 400,
  },
  {
    name: 'chunked in HTTP/1.0',
    bytes: rawRequest(
      'POST /v1.7.0/consents HTTP/1.0',
      [key, 'Transfer-Encoding: chunked'],
      '0\r\n\r\n',
    ),
    status: 400,
  },
  {
    name: 'bare LF chunk line',
    bytes: rawRequest(post, [key, json, 'Transfer-Encoding: chunked'], '5\nabcde\r\n0\r\n\r\n'),
    status: 400,
  },
  {
    name: 'GET with a second request inside',
    bytes: rawRequest(get, [key, 'Content-Length: 30'], 'GET /v1.6.0/accounts HTTP/1.1\r'),
    status: 400,
    code: 'FRAMING_INVALID',
  },
  {
    name: 'DELETE with a chunked body',
    bytes: rawRequest(
      'DELETE /v1.7.0/consents/c1 HTTP/1.1',
      [key, 'Transfer-Encoding: chunked'],
      '0\r\n\r\n',
    ),
    status: 400,
    code: 'FRAMING_INVALID',
  },
  {
    name: '64 KB of chunk extension',
    bytes: rawRequest(
      post,
      [key, json, 'Transfer-Encoding: chunked'],
      `5;${'a'.repeat(65_536)}\r\nabcde\r\n0\r\n\r\n`,
    ),
    status: 400,
    code: 'FRAMING_INVALID',
  },
  {
    name: 'a length above every number',
    bytes: rawRequest(post, [key, json, `Content-Length: ${'9'.repeat(30)}`]),
    status: 400,
    code: 'FRAMING_INVALID',
  },
  { name: 'two Host fields', bytes: rawRequest(get, [key, 'Host: other']), status: 400 },
  { name: 'no Host', bytes: `${get}\r\n${key}\r\n\r\n`, status: 400 },
  {
    name: 'Host list',
    bytes: `${get}\r\nHost: a, b\r\n${key}\r\n\r\n`,
    status: 400,
    code: 'HEADERS_INVALID',
  },
  { name: 'Host with user', bytes: `${get}\r\nHost: a@b\r\n${key}\r\n\r\n`, status: 400 },
  {
    name: 'HTTP/2.0',
    bytes: `GET /v1.7.0/accounts HTTP/2.0\r\nHost: a\r\n${key}\r\n\r\n`,
    status: 505,
    code: 'HTTP_VERSION',
  },
  { name: 'no version', bytes: 'GET /v1.7.0/accounts\r\n\r\n', status: 400 },
  { name: 'obs-fold', bytes: rawRequest(get, [key, 'X-A: b\r\n c']), status: 400 },
  { name: 'NUL in a value', bytes: rawRequest(get, [key, 'X-A: b\0c']), status: 400 },
  {
    name: 'underscore in a name',
    bytes: rawRequest(get, [key, 'Gateway_Identity: evil']),
    status: 400,
    code: 'HEADERS_INVALID',
    detail: /: gateway_identity\.$/,
  },
  {
    name: 'key of another service as a name, which the answer does not repeat',
    bytes: rawRequest(get, [key, 'sk_live_4eC39HqLyjWDarj: x']),
    status: 400,
    code: 'HEADERS_INVALID',
    detail: /^Header names must not contain underscores\.$/,
  },
  {
    name: '101 fields',
    bytes: rawRequest(get, [key, ...Array.from({ length: 100 }, (_, at) => `X-A${at}: b`)]),
    status: 431,
  },
  {
    name: '2,500 fields',
    bytes: rawRequest(get, [key, ...Array.from({ length: 2500 }, () => 'a:b')]),
    status: 431,
  },
  {
    name: '17 KiB field',
    bytes: rawRequest(get, [key, `X-A: ${'b'.repeat(17_000)}`]),
    status: 431,
    code: 'HEADERS_TOO_LARGE',
  },
  {
    name: '17 KiB target',
    bytes: rawRequest(`GET /v1.7.0/accounts?${'b'.repeat(17_000)} HTTP/1.1`, [key]),
    status: 414,
    code: 'TARGET_TOO_LONG',
  },
  {
    name: 'upgrade to websocket',
    bytes: rawRequest(get, [key, 'Connection: Upgrade', 'Upgrade: websocket']),
    status: 400,
    code: 'UPGRADE_REFUSED',
  },
  {
    name: 'h2c',
    bytes: rawRequest(get, [
      key,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    ]),
    status: 400,
    code: 'UPGRADE_REFUSED',
  },
  {
    name: 'strange expectation',
    bytes: rawRequest(post, [key, json, 'Expect: nonsense', 'Content-Length: 2'], '{}'),
    status: 417,
    code: 'EXPECTATION_FAILED',
  },
  {
    name: 'tab in the media type',
    bytes: rawRequest(post, [key, 'Content-Type: application/json\ta', 'Content-Length: 2'], '{}'),
    status: 400,
    code: 'HEADERS_INVALID',
  },
  {
    name: 'two content types',
    bytes: rawRequest(post, [key, json, json, 'Content-Length: 2'], '{}'),
    status: 400,
    code: 'HEADERS_INVALID',
  },
  {
    name: 'our own Via',
    bytes: rawRequest(get, [key, 'Via: 1.1 somebody, 1.1 tollgate']),
    status: 508,
    code: 'LOOP',
  },
  {
    name: 'declared 1 MiB + 1',
    bytes: rawRequest(post, [key, json, 'Content-Length: 1048577']),
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
  {
    name: 'declared 10 GiB',
    bytes: rawRequest(post, [key, json, 'Content-Length: 10737418240']),
    status: 413,
    code: 'BODY_TOO_LARGE',
  },
]

t.test(
  'a message that two parsers could read differently is refused and never forwarded',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    for (const { name, bytes, status, code, detail } of refused) {
      const answer = await sendRaw(edge.url, bytes)
      t.equal(answer.status, status, name)
      t.match(answer.headers.get('content-type') ?? '', 'application/problem+json', name)
      const problem = JSON.parse(answer.body)
      if (code !== undefined) t.equal(problem.code, code, name)
      if (detail !== undefined) t.match(problem.detail, detail, name)
      t.match(problem.instance, /^urn:uuid:[0-9a-f-]{36}$/)
    }
    t.equal(backend.requests.length, 0)
  },
)

t.test('two pipelined requests get two answers, each forwarded and counted', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const answer = await sendRaw(edge.url, rawRequest(get, [key]).repeat(2), { answers: 2 })
  t.equal(answer.text.split('HTTP/1.1 200').length - 1, 2)
  t.equal(backend.requests.length, 2)
})

t.test('bodies reach the backend byte for byte, declared or chunked', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const text = '{ "a" : "\\u05d0",\r\n  "b": 1.0 }'
  await sendRaw(edge.url, rawRequest(post, [key, json, `Content-Length: ${text.length}`], text))
  await sendRaw(
    edge.url,
    rawRequest(
      post,
      [key, json, 'Transfer-Encoding: chunked'],
      `5;x=y\r\n${text.slice(0, 5)}\r\n${(text.length - 5).toString(16)}\r\n${text.slice(5)}\r\n0\r\nX-Internal-Identity: evil\r\n\r\n`,
    ),
  )
  t.equal(backend.requests.length, 2)
  for (const request of backend.requests) {
    t.equal(request.body, text)
    t.notOk(request.headers.has('x-internal-identity'), 'trailers are dropped')
  }
})

t.test('the body of a call is not read by the gateway, whatever its media type', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const types = ['application/json', 'text/plain', 'text/xml', 'application/x-www-form-urlencoded']
  for (const type of types) {
    const field = [`Content-Type: ${type}`]
    await sendRaw(edge.url, rawRequest(post, [key, ...field, 'Content-Length: 3'], 'a=b'))
  }
  await sendRaw(edge.url, rawRequest(post, [key, 'Content-Length: 3'], 'a=b'))
  t.same(
    backend.requests.map(({ body }) => body),
    new Array(types.length + 1).fill('a=b'),
  )
})

t.test(
  'a call after one that is refused for its small chunks is answered if it was forwarded',
  async (t) => {
    const backend = await startRawBackend(t)
    const memory = await createMemoryCounter({ log: createLog('silent'), now: Date.now })
    const counter: Counter = {
      ...memory,
      // Redis answers in a later turn. Meanwhile Node reads on.
      peek: (buckets) => nextTurn().then(() => memory.peek(buckets)),
    }
    const edge = await startEdge(t, { backendUrl: backend.url, counter })
    const fields = [key, json, 'Transfer-Encoding: chunked', 'Expect: 100-continue']
    const chunked = rawRequest(post, fields, `${'1\r\n0\r\n'.repeat(2_049)}0\r\n\r\n`)
    const behind = rawRequest(post, [key, json, 'Content-Length: 2'], '{}')
    const { text } = await sendRaw(edge.url, chunked + behind, { answers: 2 })
    t.same(text.match(/HTTP\/1\.1 [2-5]\d+/g), ['HTTP/1.1 400', 'HTTP/1.1 200'])
    t.equal(backend.requests.length, 1)
  },
)

t.test('100-continue is answered only once the call is admitted', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const fields = [json, 'Expect: 100-continue', 'Content-Length: 2']
  const admitted = await sendRaw(edge.url, rawRequest(post, [key, ...fields], '{}'))
  t.match(admitted.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  const refusedAnswer = await sendRaw(edge.url, rawRequest(post, fields))
  t.match(refusedAnswer.text, /^HTTP\/1\.1 401 /)
  t.notOk(backend.requests[0]?.headers.has('expect'))
  const old = rawRequest(post.replace('1.1', '1.0'), [key, ...fields], '{}')
  t.match((await sendRaw(edge.url, old)).text, /^HTTP\/1\.1 200 /, 'HTTP/1.0 has no such answer')
})

t.test(
  'nothing after an answer that closes the connection is forwarded or counted, and an unsolicited body closes none',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const expecting = [json, 'Expect: 100-continue', 'Content-Length: 2']
    const last = rawRequest(post, [key, json, 'Content-Length: 2'], '{}')
    const slow = rawRequest(get, [key])
    const held: (() => void)[] = []
    backend.answer = (request, socket) => {
      held.push(() => answerOk(request, socket))
      // The second call has its body before the first has its answer.
      if (held.length === 3) for (const answer of held) answer()
    }
    const unasked = rawRequest(post, [key, ...expecting], '{}')
    const all = await sendRaw(edge.url, slow + unasked + last, { answers: 3 })
    t.same(all.text.match(/HTTP\/1\.1 \d+/g), Array(3).fill('HTTP/1.1 200'))
    t.notMatch(all.text, /connection: close/i)

    backend.answer = answerOk
    const left = async () => (await sendRaw(edge.url, slow)).headers.get('ratelimit')
    const before = [backend.requests.length, await left()]
    // Refused by its head: the client may send the body, or the next request.
    const nowhere = post.replace('consents', 'nothing')
    const refused = rawRequest(nowhere, [key, ...expecting], '{}')
    const cut = await sendRaw(edge.url, slow + refused + last + slow, { answers: Infinity })
    t.same(cut.text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404'])
    t.match(cut.text, /connection: close/i)
    const counted = (value: unknown) => Number(/;r=(\d+)/.exec(String(value))?.[1])
    const after = [backend.requests.length, await left()]
    t.equal(
      Number(after[0]) - Number(before[0]),
      2,
      'the slow call, and the one that reported the rest',
    )
    t.equal(counted(before[1]) - counted(after[1]), 2)

    // Of HTTP/1.0, the answer without a length closes the connection, which is known only then.
    backend.answer = (_request, socket) =>
      void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n')
    const old = rawRequest(get.replace('1.1', '1.0'), [key, 'Connection: keep-alive'])
    const arrived = backend.requests.length
    const first = await sendRaw(edge.url, old + old + last, { answers: Infinity })
    t.same(first.text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'])
    t.equal(backend.requests.length - arrived, 1)
  },
)

t.test(
  'a chunked body over the limit ends with 413 and the backend sees no whole request',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
    const answer = await sendRaw(
      edge.url,
      rawRequest(post, [key, json, 'Transfer-Encoding: chunked'], chunk.repeat(17)),
    )
    t.equal(answer.status, 413)
    t.equal(JSON.parse(answer.body).code, 'BODY_TOO_LARGE')
    t.equal(backend.requests.length, 0)
    t.ok(answer.isClosed)
  },
)

t.test('a declared length above the limit is answered 413 and ends the connection', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  for (const length of [1_048_577, 9_007_199_254_740_991]) {
    const bytes = rawRequest(post, [key, json, `Content-Length: ${length}`], 'x'.repeat(100))
    const answer = await sendRaw(edge.url, bytes)
    t.equal(answer.status, 413)
    t.equal(answer.headers.get('connection'), 'close')
    t.ok(answer.isClosed)
  }
})
