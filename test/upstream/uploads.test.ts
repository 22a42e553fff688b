import { createServer, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { UpstreamRequest } from '../../src/gateway/upstream/connection.ts'
import { createPool } from '../../src/gateway/upstream/pool.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'

interface Backend {
  readonly sockets: Socket[]
  /** Octets that came, by connection. */
  readonly received: string[]
}

/** A backend that shows what came, and a pool to it. */
async function start(t: Test, onConnection: (socket: Socket) => void = () => undefined) {
  const backend: Backend = { sockets: [], received: [] }
  const server = createServer({ noDelay: true }, (socket) => {
    const at = backend.sockets.push(socket) - 1
    backend.received[at] = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      backend.received[at] += chunk.toString('latin1')
    })
    onConnection(socket)
  })
  const port = await listenOnLoopback(server)
  const pool = createPool({
    url: `http://127.0.0.1:${port}`,
    ...{ connectionsMax: 1, connectionMsMax: 30_000, connectMsMax: 2_000 },
    ...{ restMsMax: 4_000, restMsCeiling: 30_000 },
    monotonic: () => performance.now(),
  })
  t.teardown(() => {
    for (const socket of backend.sockets) socket.destroy()
    server.close()
  })
  function send(request: UpstreamRequest) {
    const ended = Promise.withResolvers<number>()
    let answered = 0
    const exchange = pool.dispatch(request, {
      onHead(status) {
        answered = status
      },
      onBody: () => true,
      onEnd: () => ended.resolve(answered),
      onError: () => ended.resolve(0),
    })
    return { exchange, ended: ended.promise }
  }
  return { backend, pool, send }
}

function post(body: Readable, length?: number): UpstreamRequest {
  const isChunked = length === undefined
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  return { head: `POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`, body, isChunked }
}

/** What a body in the chunked coding says; undefined when its end is missing. */
function unchunked(text: string): string | undefined {
  let body = ''
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (text.slice(lineEnd + 2 + size, lineEnd + 4 + size) !== '\r\n') return undefined
    if (size === 0) return body
    body += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 4 + size
  }
}

const bodyOf = (received: string | undefined) =>
  (received ?? '').split('\r\n\r\n').slice(1).join('\r\n\r\n')
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

t.test('a body arrives whole, also at a backend that takes its time', async (t) => {
  const pieces = Array.from({ length: 200 }, (_, at) => Buffer.alloc(50_000, 97 + (at % 26)))
  const whole = Buffer.concat(pieces).toString()
  for (const length of [undefined, whole.length]) {
    const { backend, pool, send } = await start(t, (socket) => socket.pause())
    let isRead = false
    const body = Readable.from(pieces, { objectMode: false }).on('end', () => (isRead = true))
    const { exchange, ended } = send(post(body, length))
    await until('the backend is slower than we are', () => exchange.isStuck)
    t.notOk(isRead, 'no more is read of the body than the backend takes')
    backend.sockets[0]?.resume()
    const received = () => bodyOf(backend.received[0])
    const arrived = () => (length === undefined ? unchunked(received()) : received())
    await until('it is all there', () => (arrived() ?? '').length >= whole.length)
    t.ok(arrived() === whole)
    t.ok(exchange.drains > 0)
    backend.sockets[0]?.write(ok)
    t.equal(await ended, 200)
    t.equal(body.listenerCount('data'), 0)
    // The connection is used again, and nothing of the first request is left on it.
    const next = send(post(Readable.from([Buffer.from('xy')]), 2))
    await until('the next is there', () => received().endsWith('xy'))
    backend.sockets[0]?.write(ok)
    t.equal(await next.ended, 200)
    t.equal(backend.sockets.length, 1)
    await pool.close()
  }
})

t.test(
  'a body that is given up never looks whole, and what is left of it is read away',
  async (t) => {
    for (const length of [undefined, 8_000_000]) {
      const { backend, send } = await start(t, (socket) => socket.pause())
      const body = new PassThrough()
      const { exchange } = send(post(body, length))
      const piece = Buffer.alloc(100_000, 'x')
      for (let sent = 0; sent < 79; sent += 1) body.write(piece)
      await until('the backend takes no more', () => exchange.isStuck)
      exchange.abandon()
      body.end(piece)
      await until('the rest is read away', () => body.readableEnded)
      const [socket] = backend.sockets
      socket?.resume()
      await until('the connection ends', () => socket?.destroyed === true)
      const arrived = bodyOf(backend.received[0])
      if (length === undefined) t.equal(unchunked(arrived), undefined)
      else t.ok(arrived.length < length)
    }
  },
)

t.test('an answer before the whole body ends its connection', async (t) => {
  const { backend, send } = await start(t)
  const body = new PassThrough()
  const first = send(post(body))
  body.write('abc')
  await until('the beginning is there', () => backend.received[0]?.includes('abc') === true)
  backend.sockets[0]?.write(ok)
  t.equal(await first.ended, 200)
  const next = send({
    head: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    body: undefined,
    isChunked: false,
  })
  body.end('def')
  await until('the next is there', () => backend.received[1]?.startsWith('GET /') === true)
  backend.sockets[1]?.write(ok)
  t.equal(await next.ended, 200)
  await until('the first has ended', () => backend.sockets[0]?.destroyed === true)
  t.equal(unchunked(bodyOf(backend.received[0])), undefined)
})

t.test('each piece in the chunked coding leaves at once', async (t) => {
  const { backend, send } = await start(t)
  let reads = 0
  const body = new PassThrough()
  const { exchange } = send(post(body))
  await until('the head is there', () => backend.received[0]?.endsWith('\r\n\r\n') === true)
  backend.sockets[0]?.on('data', () => (reads += 1))
  body.write('hello')
  await until('the piece is there', () => backend.received[0]?.endsWith('hello\r\n') === true)
  await delay(20)
  t.equal(reads, 1)
  exchange.abandon()
})
