import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { UpstreamRequest } from '../../src/gateway/upstream/connection.ts'
import { createPool } from '../../src/gateway/upstream/pool.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'
import { poolOptions } from './pool-options.ts'

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
  const pool = createPool(poolOptions({ url: `http://127.0.0.1:${port}` }))
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

function post(body: readonly Buffer[]): UpstreamRequest {
  const { length } = Buffer.concat(body)
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
  return { writeHead: (into) => into.text(head), body, isSafe: false, use: { connections: 0 } }
}

const bodyOf = (received: string | undefined) =>
  (received ?? '').split('\r\n\r\n').slice(1).join('\r\n\r\n')
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
/** More than the kernels' buffers take. */
const pieces = Array.from({ length: 400 }, (_, at) => Buffer.alloc(50_000, 97 + (at % 26)))
const whole = Buffer.concat(pieces)

t.test('a body arrives whole, also at a backend that takes its time', async (t) => {
  const { backend, pool, send } = await start(t, (socket) => socket.pause())
  const { exchange, ended } = send(post(pieces))
  await until('the backend has taken some', () => exchange.bodyProgress > 0)
  const before = exchange.bodyProgress
  backend.sockets[0]?.resume()
  const received = () => bodyOf(backend.received[0])
  await until('it is all there', () => received().length >= whole.length)
  t.ok(received() === whole.toString())
  t.ok(exchange.bodyProgress > before, 'its progress could be seen')
  backend.sockets[0]?.write(ok)
  t.equal(await ended, 200)
  // The connection is used again, and nothing of the first request is left on it.
  const next = send(post([Buffer.from('xy')]))
  await until('the next is there', () => received().endsWith('xy'))
  backend.sockets[0]?.write(ok)
  t.equal(await next.ended, 200)
  t.equal(backend.sockets.length, 1)
  await pool.close()
})

t.test('a body that is given up never looks whole', async (t) => {
  const { backend, send } = await start(t, (socket) => socket.pause())
  const { exchange } = send(post(pieces))
  await until('the backend has taken some', () => exchange.bodyProgress > 0)
  exchange.abandon()
  const [socket] = backend.sockets
  socket?.resume()
  await until('the connection ends', () => socket?.destroyed === true)
  t.ok(bodyOf(backend.received[0]).length < whole.length)
})

t.test('an answer before the whole body ends its connection', async (t) => {
  const { backend, send } = await start(t, (socket) => socket.pause())
  const first = send(post(pieces))
  await until('the backend has taken some', () => first.exchange.bodyProgress > 0)
  backend.sockets[0]?.write(ok)
  t.equal(await first.ended, 200)
  backend.sockets[0]?.resume()
  const next = send(post([Buffer.from('xy')]))
  await until('the next has a connection of its own', () => backend.sockets.length === 2)
  backend.sockets[1]?.resume()
  await until('it is there', () => bodyOf(backend.received[1]) === 'xy')
  backend.sockets[1]?.write(ok)
  t.equal(await next.ended, 200)
  await until('the first has ended', () => backend.sockets[0]?.destroyed === true)
  t.ok(bodyOf(backend.received[0]).length < whole.length)
})

t.test('a small body leaves in one piece with its head', async (t) => {
  let reads = 0
  const { backend, send } = await start(t, (socket) => void socket.on('data', () => (reads += 1)))
  const { ended } = send(post([Buffer.from('hello')]))
  await until('it is there', () => bodyOf(backend.received[0]) === 'hello')
  t.equal(reads, 1)
  backend.sockets[0]?.write(ok)
  t.equal(await ended, 200)
})
