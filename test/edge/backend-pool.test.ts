import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { createBackendPool, type PooledHandler } from '../../src/gateway/edge/backend-pool.ts'

/** A request that reached the backend, to be answered when the test says so. */
interface Arrived {
  readonly path: string
  /** Of the connection it came on. */
  readonly port: number
  readonly response: ServerResponse
}

/** A backend that answers when it is told, and a pool of one connection to it. */
async function startPool(t: Test, isDown = false) {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    arrived.push({ path: request.url ?? '', port: request.socket.remotePort ?? 0, response })
    server.emit('arrived')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  let time = 0
  const pool = createBackendPool({
    url: `http://127.0.0.1:${address.port}`,
    connectionsMax: 1,
    connectionMsMax: 1000,
    client: {},
    monotonic: () => time,
  })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  if (isDown) server.close()

  function send(path: string) {
    const ended = Promise.withResolvers<'complete' | 'error'>()
    const handler: PooledHandler = {
      release: () => undefined,
      onConnect: () => undefined,
      onHeaders: () => true,
      onData: () => true,
      onComplete() {
        this.release()
        ended.resolve('complete')
      },
      onError() {
        this.release()
        ended.resolve('error')
      },
    }
    pool.dispatch({ path, method: 'GET' }, handler)
    return { handler, ended: ended.promise }
  }

  /** The next request to arrive. */
  async function next(): Promise<Arrived> {
    const count = arrived.length
    while (arrived.length === count) await once(server, 'arrived')
    return arrived[count] ?? Promise.reject(new Error('nothing arrived'))
  }

  return {
    ...{ pool, arrived, send, next },
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

t.test('a request given up while it waits is never sent and keeps nobody waiting', async (t) => {
  const { arrived, send, next } = await startPool(t)
  const first = send('/1')
  const given = send('/given-up')
  const last = send('/3')
  const { response } = await next()
  given.handler.release()
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
  wait(1001)
  t.equal(await exchange(({ response }) => response.end()), 'complete')
  t.equal(await exchange(({ response }) => void response.socket?.destroy()), 'error')
  t.equal(await exchange(({ response }) => response.end()), 'complete')
  const [first, second, third, fourth, fifth] = ports
  t.equal(second, first, 'young: used again')
  t.equal(third, first, 'its age is looked at when it is given back')
  t.not(fourth, third, 'old: not used again')
  t.not(fifth, fourth, 'broken: not used again')
  t.equal(arrived.length, 5)
})

t.test('closing waits for what is under way', async (t) => {
  const { pool, send, next } = await startPool(t)
  const coming = next()
  const { ended } = send('/')
  const { response } = await coming
  let isClosed = false
  const closed = pool.close().then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.notOk(isClosed)
  response.end()
  t.equal(await ended, 'complete')
  await closed
})

t.test(
  'a backend that cannot be reached fails those that wait for a connection, too',
  async (t) => {
    const { send } = await startPool(t, true)
    const sent = [send('/1'), send('/2'), send('/3')]
    t.same(await Promise.all(sent.map(({ ended }) => ended)), ['error', 'error', 'error'])
  },
)
