import { createServer, type RequestListener } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { createLog } from '../../src/platform/log/log.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const key = `X-API-Key: ${testKey}`
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const post = 'POST /v1.7.0/consents HTTP/1.1'

/** A backend that answers at the first bytes; the recorder waits for whole requests. */
async function startEarlyBackend(t: Test, answer: RequestListener): Promise<string> {
  const early = createServer(answer)
  const port = await listenOnLoopback(early)
  t.teardown(() => {
    early.closeAllConnections()
    early.close()
  })
  return `http://127.0.0.1:${port}`
}

t.test('clients that go away leave no negative or absurd durations in the metrics', async (t) => {
  const backend = await startRawBackend(t)
  // A clock that stands still: each duration is 0, and a reading that is missing or of another clock shows.
  const edge = await startEdge(t, { backendUrl: backend.url, monotonic: () => 1_000_000 })
  backend.answer = () => {}
  for (const _client of [1, 2, 3]) {
    const seen = backend.requests.length
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
    socket.write(rawRequest(get, [key]))
    await until('the backend has the call', () => backend.requests.length > seen)
    resetConnection(socket)
  }
  const sums = async () =>
    [
      ...(await edge.metrics()).matchAll(/_(?:upstream|overhead)_duration_seconds_sum\S* (\S+)/g),
    ].map(([, value]) => Number(value))
  await until('each end is counted', async () =>
    /^gateway_requests_total\{.*outcome="aborted"\} 3$/m.test(await edge.metrics()),
  )
  t.same(await sums(), [0, 0])
})

t.test('an answer of a backend that does not read the body arrives', async (t) => {
  const backendUrl = await startEarlyBackend(t, (request, response) => {
    response.writeHead(413, { 'content-length': '2' })
    response.end('no')
    request.on('error', () => {})
  })
  const edge = await startEdge(t, { backendUrl })
  const large = rawRequest(post, [key, 'Content-Length: 1000000'], 'x'.repeat(1_000_000))
  for (const _time of [1, 2, 3]) {
    const answer = await sendRaw(edge.url, large)
    t.same([answer.status, answer.body], [413, 'no'])
  }
})

t.test('a call whose client left before it was admitted does not reach the backend', async (t) => {
  const backend = await startRawBackend(t)
  const memory = await createMemoryCounter({ log: createLog('silent'), now: Date.now })
  const asked: (() => void)[] = []
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    counter: { ...memory, grant: (...asking) => void asked.push(() => memory.grant(...asking)) },
  })
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
  socket.write(rawRequest(get, [key]))
  await until('the counter is asked', () => asked.length > 0)
  resetConnection(socket)
  await until('the client has left', async () => (await edge.connections()) === 0)
  asked.shift()?.()
  const other = fetch(`${edge.url}/v1.6.0/accounts`, { headers: { 'x-api-key': testKey } })
  await until('the counter is asked', () => asked.length > 0)
  asked.shift()?.()
  t.equal((await other).status, 200)
  t.same(
    backend.requests.map(({ target }) => target),
    ['/v1.6.0/accounts'],
  )
})

t.test('a client that resets ends all its pipelined calls, and each is observed', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  let ended = 0
  backend.answer = (_request, socket) => void socket.on('close', () => (ended += 1))
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
  socket.write(rawRequest(get, [key]).repeat(12))
  await until('the backend has all calls', () => backend.requests.length === 12)
  resetConnection(socket)
  await until('the backend sees it', () => ended === 12)
  t.match(await edge.metrics(), /^gateway_requests_total\{.*outcome="aborted"\} 12$/m)
})

t.test('a call whose client closes its connection is still finished', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const held: (() => void)[] = []
  backend.answer = (...told) => void held.push(() => answerOk(...told))
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
  socket.write(rawRequest(get, [key]))
  await until('the backend has the call', () => held.length === 1)
  socket.destroy()
  // The end of the client's side is there before a connection that came later is answered.
  t.equal((await fetch(edge.url)).status, 404)
  for (const answer of held) answer()
  await until('the connection has ended', async () => (await edge.connections()) <= 1)
  t.match(await edge.metrics(), /^gateway_requests_total\{.*outcome="forwarded"\} 1$/m)
})

t.test('a body over the limit is read away while its refusal is on its way', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
  // Reads nothing before it has said everything, as simple clients do.
  socket.pause()
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.write(rawRequest(post, [key, 'Transfer-Encoding: chunked']))
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
  const said = new Promise<unknown>((resolve) => {
    socket.on('error', resolve)
    socket.write(`${chunk.repeat(12)}0\r\n\r\n`, () => resolve('everything'))
  })
  t.equal(await said, 'everything')
  socket.resume()
  await new Promise((resolve) => socket.on('close', resolve))
  t.match(text, /^HTTP\/1\.1 413 /)
})

t.test('an upload that breaks off opens no connection to the backend', async (t) => {
  let connections = 0
  const backend = createTcpServer((socket) => {
    connections += 1
    socket.destroy()
  })
  const port = await listenOnLoopback(backend)
  t.teardown(() => backend.close())
  const edge = await startEdge(t, { backendUrl: `http://127.0.0.1:${port}` })
  const endings: Readonly<Record<string, (socket: Socket) => void>> = {
    'a farewell': (socket) => void socket.end(),
    'a closed connection': (socket) => void socket.destroy(),
    'a reset': (socket) => resetConnection(socket),
    'no chunk': (socket) => void socket.write('ZZ\r\n'),
    'half a last chunk': (socket) => void socket.end('0\r\n'),
  }
  const begun = {
    declared: rawRequest(post, [key, 'Content-Length: 10'], '01234'),
    chunked: rawRequest(post, [key, 'Transfer-Encoding: chunked'], '5\r\n01234\r\n'),
  }
  for (const [framing, request] of Object.entries(begun)) {
    for (const [name, end] of Object.entries(endings)) {
      if (framing === 'declared' && name.includes('chunk')) continue
      const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.on('error', () => socket.destroy()).resume()
      socket.write(request, () => end(socket))
      await closed
    }
  }
  await until('all of them have ended', async () => {
    const ended = [...(await edge.metrics()).matchAll(/^gateway_requests_total\{.*\} (\d+)$/gm)]
    return ended.reduce((sum, [, count]) => sum + Number(count), 0) >= 8
  })
  t.equal(connections, 0)
  t.equal(await remainingAfterOne(edge.url), 999_999, 'none was counted')
})

/** What is left of the limit after one more call, which the backend fails. */
async function remainingAfterOne(url: string): Promise<number> {
  const answer = await sendRaw(url, rawRequest(post, [key, 'Content-Length: 1'], 'x'))
  return Number(answer.headers.get('x-ratelimit-remaining'))
}

t.test('garbage after a request does not cost its answer', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  // One read brings both, so the gateway has met the garbage when the backend answers.
  const answer = await sendRaw(edge.url, `${rawRequest(get, [key])}GARB\r\n\r\n`, {
    answers: Number.POSITIVE_INFINITY,
  })
  t.equal(answer.status, 200)
  t.equal(answer.text.split('HTTP/1.1 ').length - 1, 1, 'one answer')
  t.ok(answer.isClosed)
})

t.test(
  'a broken body after a request ends the connection after the answer to that request',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    // One read brings both, so the gateway has met the broken body when the backend answers.
    const broken = rawRequest(post, [key, 'Transfer-Encoding: chunked'], 'ZZ\r\n')
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
    socket.write(rawRequest(get, [key]) + broken)
    await closed
    t.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    t.equal(text.split('HTTP/1.1 ').length - 1, 1, 'no answer is taken for another')
  },
)

t.test('a mistake inside a store ends its call with 500 and nothing else', async (t) => {
  const backend = await startRawBackend(t)
  const broken = new Map([
    [testKey, { applicationId: 'a', keyId: 'k', isSuspended: false, plans: undefined }],
  ])
  // Deliberately not a Caller: what a mistake of ours would hand on.
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    callers: broken as unknown as ReadonlyMap<string, 'invalid'>,
  })
  const answer = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } })
  t.equal(answer.status, 500)
  t.match(await answer.json(), { code: 'INTERNAL_ERROR' })
  t.equal((await fetch(`${edge.url}/v1.7.0/nothing`)).status, 404)
})

t.test(
  'a backend that breaks off before any octet of a short answer has failed the call: 502, no cut connection',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    backend.answer = (_request, socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\nx-of: backend\r\n\r\n')
    }
    const failed = await sendRaw(edge.url, rawRequest(get, [key]))
    t.equal(failed.status, 502)
    t.equal(failed.headers.get('x-of'), undefined, 'nothing of the answer was sent')
    backend.answer = (_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345', () => socket.destroy())
    }
    const cut = await sendRaw(edge.url, rawRequest(get, [key]))
    t.equal(cut.status, 200)
    t.equal(cut.headers.get('content-length'), '10')
    t.ok(cut.text.endsWith('12345'), 'what there was of it, and the end of the connection')
    t.ok(cut.isClosed)
  },
)

t.test('an answer without a body, and one in two pieces, arrive as they are', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url })
  backend.answer = (_request, socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  }
  const empty = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } })
  t.same([empty.status, await empty.text()], [200, ''])
  let sendRest = () => {}
  backend.answer = (_request, socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n\u00e9', 'utf8')
    sendRest = () => void socket.write('\u05d0\u05d1', 'utf8')
  }
  const pieces = await fetch(`${edge.url}/v1.7.0/accounts`, { headers: { 'x-api-key': testKey } })
  sendRest()
  t.same([pieces.status, await pieces.text()], [200, '\u00e9\u05d0\u05d1'])
})

t.test(
  'the metrics distinguish a backend that cuts its answer from a client that leaves',
  async (t) => {
    const backend = await startRawBackend(t)
    const edge = await startEdge(t, { backendUrl: backend.url })
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'
    const counted = (outcome: string, calls: number) => async () =>
      new RegExp(`^gateway_requests_total\\{.*outcome="${outcome}"\\} ${calls}$`, 'm').test(
        await edge.metrics(),
      )

    backend.answer = (_request, socket) => void socket.end(half)
    const answer = await sendRaw(edge.url, rawRequest(get, [key]))
    t.match(answer, { status: 200, isClosed: true })
    await until('the backend has failed the call', counted('cut', 1))
    t.notMatch(await edge.metrics(), /outcome="aborted"/)

    backend.answer = (_request, socket) => void socket.write(half)
    const socket = connect(Number(new URL(edge.url).port), '127.0.0.1')
    socket.write(rawRequest(get, [key]))
    await new Promise((resolve) => socket.once('data', resolve))
    resetConnection(socket)
    await until('the client has left', counted('aborted', 1))
    t.ok(await counted('cut', 1)(), 'and this is no failure of the backend')
  },
)
