import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createRawServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createPool, type Dispatched } from '../../src/gateway/upstream/pool.ts'
import { shortenTurn } from '../../src/gateway/upstream/turn-share.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/until.ts'

/** A request that reached the backend, to be answered when the test says so. */
interface Arrived {
  readonly path: string
  /** Port of the connection it came on. */
  readonly port: number
  readonly response: ServerResponse
}

function headOf(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bank.example\r\n\r\n`
}

/** A backend that answers on command, and a pool of one connection to it. */
async function startPool(t: Test, isDown = false) {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    arrived.push({ path: request.url ?? '', port: request.socket.remotePort ?? 0, response })
    server.emit('arrived')
  })
  const port = await listenOnLoopback(server)
  let time = 0
  const pool = createPool({
    url: `http://127.0.0.1:${port}`,
    connectionsMax: 1,

    connectionMsMax: 1000,
    connectMsMax: 2000,
    idleMsMax: 500,
    idleMsCeiling: 700,
    monotonic: () => time,
  })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  if (isDown) server.close()

  function send(path: string, isSafe = false) {
    const ended = Promise.withResolvers<'complete' | 'error'>()
    const request = { head: headOf(path), body: undefined, isSafe, use: { connections: 0 } }
    const exchange = pool.dispatch(request, {
      onHead: () => undefined,
      onBody: () => true,
      onEnd: () => ended.resolve('complete'),
      onError: () => ended.resolve('error'),
    })
    return { exchange, ended: ended.promise }
  }

  /** The next request to arrive. */
  async function next(): Promise<Arrived> {
    const count = arrived.length
    while (arrived.length === count) await once(server, 'arrived')
    return arrived[count] ?? Promise.reject(new Error('nothing arrived'))
  }

  return {
    pool,
    arrived,
    send,
    next,
    wait(ms: number) {
      time += ms
    },
  }
}

t.test('one request at a time on a connection; the others wait in their order', async (t) => {
  const { arrived, send, next } = await startPool(t)
  const sent = [send('/1'), send('/2'), send('/3')]
  for (const path of ['/1', '/2', '/3']) {
    const { response } = arrived.find((request) => request.path === path) ?? (await next())
    t.same(arrived.at(-1)?.path, path, 'nothing was sent beside it')
    response.end('done')
    await sent.shift()?.ended
  }
  t.equal(new Set(arrived.map(({ port }) => port)).size, 1, 'all on one connection')
})

t.test('a request given up while it waits is never sent and delays no other', async (t) => {
  const { arrived, send, next } = await startPool(t)
  const first = send('/1')
  const given = send('/given-up')
  const last = send('/3')
  const { response } = await next()
  given.exchange.abandon()
  const following = next()
  response.end()
  await first.ended
  const { path, response: answer } = await following
  t.equal(path, '/3')
  answer.end()
  await last.ended
  t.same(
    arrived.map((request) => request.path),
    ['/1', '/3'],
  )
})

t.test('a connection is not used beyond its age, and one that broke is replaced', async (t) => {
  const { arrived, send, next, wait } = await startPool(t)
  const ports: number[] = []
  async function exchange(answer: (request: Arrived) => void): Promise<string> {
    const coming = next()
    const { ended } = send('/')
    const request = await coming
    ports.push(request.port)
    answer(request)
    return await ended
  }
  t.equal(await exchange(({ response }) => response.end()), 'complete')
  t.equal(await exchange(({ response }) => response.end()), 'complete')
  const late = ({ response }: Arrived): void => {
    wait(1001)
    response.end()
  }
  t.equal(await exchange(late), 'complete')
  t.equal(await exchange(({ response }) => void response.socket?.destroy()), 'error')
  t.equal(await exchange(({ response }) => response.end()), 'complete')
  const [first, second, third, fourth, fifth] = ports
  t.equal(second, first, 'young: used again')
  t.equal(third, first, 'its age is looked at when it is given back')
  t.not(fourth, third, 'old: not used again')
  t.not(fifth, fourth, 'broken: not used again')
  t.equal(arrived.length, 5)
})

t.test(
  'a safe request goes out once more if a connection that was used before ends without an octet of an answer; nothing else is sent twice',
  async (t) => {
    const { send, next, wait } = await startPool(t)
    /** The answers to a request and to each time that it arrives again. */
    async function exchange(isSafe: boolean, ...answers: ((request: Arrived) => void)[]) {
      const arrivals: Arrived[] = []
      let coming = next()
      const { ended } = send('/', isSafe)
      for (const answer of answers) {
        const request = await coming
        arrivals.push(request)
        coming = next()
        answer(request)
      }
      return { outcome: await ended, ports: arrivals.map(({ port }) => port) }
    }
    const whole = ({ response }: Arrived): void => void response.end()
    const reset = ({ response }: Arrived): void => void response.socket?.resetAndDestroy()
    const close = ({ response }: Arrived): void => void response.socket?.end()
    const begun = ({ response }: Arrived): void => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.socket?.end()
    }
    for (const leave of [reset, close]) {
      const used = await exchange(true, whole)
      const again = await exchange(true, leave, whole)
      t.equal(again.outcome, 'complete')
      t.equal(again.ports[0], used.ports[0])
      t.not(again.ports[1], again.ports[0], 'on a new connection')
      t.equal((await exchange(true, leave, leave)).outcome, 'error', 'not a third time')
      t.equal((await exchange(true, leave)).outcome, 'error', 'a new connection says more')
      await exchange(true, whole)
      t.equal(
        (await exchange(false, leave)).outcome,
        'error',
        'not if it may have changed something',
      )
      await exchange(true, whole)
      t.equal((await exchange(true, begun)).outcome, 'error', 'not after an octet')
      await exchange(true, whole)
      const late = (request: Arrived): void => {
        wait(1_001)
        leave(request)
      }
      t.equal((await exchange(true, late)).outcome, 'error', 'not after a second of work')
    }
  },
)

t.test('a request given up before its connection ends is not sent again', async (t) => {
  const { arrived, send, next } = await startPool(t)
  const first = next()
  const used = send('/', true)
  ;(await first).response.end()
  await used.ended
  const coming = next()
  const given = send('/given-up', true)
  const { response } = await coming
  given.exchange.abandon()
  response.socket?.destroy()
  const following = next()
  const other = send('/next', true)
  ;(await following).response.end()
  t.equal(await other.ended, 'complete')
  t.same(
    arrived.map(({ path }) => path),
    ['/', '/given-up', '/next'],
  )
})

/**
 * Reads large answers whose beginnings wait in the kernel.
 *
 * @param eachTurn called at the end of each turn of the event loop
 * @returns the median of the octets that arrived in each turn. A connection whose answer had not come yet reads once more
 * than its share.
 */
async function octetsATurn(t: Test, eachTurn?: () => void): Promise<number> {
  const answers = 32
  const length = 2_000_000
  /** Octets of each answer in the kernel's buffers when the test resumes reading. */
  const buffered = 262_144
  const sockets: Socket[] = []
  let bufferedAnswers = 0
  const server = createRawServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(buffered), () => {
      bufferedAnswers += 1
    })
    socket.write(Buffer.alloc(length - buffered))
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const pool = createPool({
    url: `http://127.0.0.1:${port}`,
    connectionsMax: answers,
    connectionMsMax: 1000,
    connectMsMax: 2000,
    idleMsMax: 500,
    idleMsCeiling: 700,
    monotonic: () => 0,
  })
  let isPaused = true
  let octetsOfTurn = 0
  const turns: number[] = []
  const dispatched: Dispatched[] = []
  const received = Array.from({ length: answers }, (_, at) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    let octets = 0
    const request = {
      head: headOf('/'),
      body: undefined,
      isSafe: false,
      use: { connections: 0 },
    }
    dispatched[at] = pool.dispatch(request, {
      onHead: () => undefined,
      onBody(piece) {
        octets += piece.length
        octetsOfTurn += piece.length
        // Like a client whose kernel accepts everything at once: it is full, and no longer full in the same turn.
        if (!isPaused) process.nextTick(() => dispatched[at]?.resume())
        return false
      },
      onEnd: () => resolve(octets),
      onError: () => resolve(-1),
    })
    return promise
  })
  await until('the kernel has a part of each', async () => bufferedAnswers === answers)
  isPaused = false
  let isOver = false
  const count = (): void => {
    turns.push(octetsOfTurn)
    octetsOfTurn = 0
    eachTurn?.()
    if (!isOver) setImmediate(count)
  }
  octetsOfTurn = 0
  eachTurn?.()
  setImmediate(count)
  for (const each of dispatched) each.resume()
  t.same(await Promise.all(received), Array(answers).fill(length), 'each whole')
  isOver = true
  for (const socket of sockets) socket.destroy()
  await pool.close()
  return turns.toSorted((a, b) => a - b)[Math.floor(turns.length / 2)] ?? Number.NaN
}

const octetsARead = 65_536

t.test(
  'large answers that wait in the buffers of the kernel share each turn of the event loop',
  async (t) => {
    const octets = await octetsATurn(t)
    // Half a megabyte, and a read of each connection that goes on: eight of those that waited, and eight that were within
    // the turn before.
    t.ok(octets <= 524_288 + 16 * octetsARead, `${octets} octets`)
  },
)

t.test(
  'while clients connect, of whom each turn accepts one, a turn takes one or two reads of large answers',
  async (t) => {
    const octets = await octetsATurn(t, shortenTurn)
    t.ok(octets <= 2 * octetsARead, `${octets} octets`)
  },
)

t.test('a connection that rested longer than the backend keeps it is not used again', async (t) => {
  const { pool, send, next, wait } = await startPool(t)
  const ports: number[] = []
  async function exchange(keepAlive?: string): Promise<void> {
    const coming = next()
    const { ended } = send('/')
    const { port, response } = await coming
    ports.push(port)
    if (keepAlive !== undefined) response.setHeader('Keep-Alive', keepAlive)
    response.end()
    await ended
  }
  async function rest(ms: number): Promise<void> {
    wait(ms)
    pool.tidy()
  }
  // Node says "timeout=5", of which a second is taken off; the ceiling of this pool is below that.
  await exchange()
  await rest(600)
  await exchange()
  await rest(701)
  await exchange('timeout=1')
  await exchange('timeout=1')
  // Also before the next look at all of them.
  await exchange()
  wait(701)
  await exchange()
  t.not(ports[5], ports[4])
  const [first, second, third, fourth] = ports
  t.equal(second, first, 'it said that it keeps it longer')
  t.not(third, second, 'but no longer than the ceiling')
  t.not(fourth, third, 'and one that is kept for hardly a second is not kept at all')
})

t.test(
  'the final response, not an interim one, decides how long a connection is kept',
  async (t) => {
    const { send, next } = await startPool(t)
    const ports: number[] = []
    for (const _time of [1, 2]) {
      const coming = next()
      const { ended } = send('/')
      const { port, response } = await coming
      ports.push(port)
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.setHeader('Keep-Alive', 'timeout=1')
      response.end()
      t.equal(await ended, 'complete')
    }
    t.not(ports[1], ports[0])
  },
)

t.test('a free connection beyond its age is closed, rested or not', async (t) => {
  const { pool, send, next, wait } = await startPool(t)
  const ports: number[] = []
  for (const _time of [1, 2, 3]) {
    const coming = next()
    const { ended } = send('/')
    const { port, response } = await coming
    ports.push(port)
    response.end()
    await ended
    wait(600)
    pool.tidy()
  }
  const [first, second, third] = ports
  t.equal(second, first)
  t.not(third, second)
})

t.test('giving a request up ends its connection, and another one takes the next', async (t) => {
  const { send, next } = await startPool(t)
  const coming = next()
  const given = send('/given-up')
  const { port, response } = await coming
  const following = next()
  const { ended } = send('/next')
  given.exchange.abandon()
  const other = await following
  t.not(other.port, port)
  other.response.end()
  t.equal(await ended, 'complete')
  given.exchange.abandon()
  t.ok(response.destroyed || response.socket?.destroyed !== false)
})

t.test('closing waits for what is under way', async (t) => {
  const { pool, send, next } = await startPool(t)
  const coming = next()
  const { ended } = send('/')
  const { response } = await coming
  const order: string[] = []
  const closed = pool.close().then(() => order.push('closed'))
  response.end()
  order.push(await ended)
  await closed
  t.same(order, ['complete', 'closed'])
})

t.test('closing waits for what waits for a connection, too', async (t) => {
  const { pool, send, next } = await startPool(t)
  const sent = [send('/1'), send('/2')]
  const order: string[] = []
  const closed = pool.close().then(() => order.push('closed'))
  for (const { ended } of sent) {
    const { response } = await next()
    response.end()
    order.push(await ended)
  }
  await closed
  t.same(order, ['complete', 'complete', 'closed'])
  await pool.close()
})

t.test('closing does not wait for what was given up before it was sent', async (t) => {
  const { pool, send } = await startPool(t)
  const { exchange } = send('/given-up')
  const closed = [pool.close(), pool.close()]
  exchange.abandon()
  await Promise.all(closed)
})

t.test(
  'a backend that cannot be reached fails those that wait for a connection, too',
  async (t) => {
    const { send } = await startPool(t, true)
    const sent = [send('/1'), send('/2'), send('/3')]
    t.same(await Promise.all(sent.map(({ ended }) => ended)), ['error', 'error', 'error'])
  },
)
