import { connect } from 'node:net'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { lastUploadMs } from '../../src/platform/http/stop-times.ts'
import { startEdge, type TestEdge, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const fields = [`X-API-Key: ${testKey}`]
const get = rawRequest('GET /v1.7.0/accounts HTTP/1.1', fields)
const post = rawRequest(
  'POST /v1.7.0/consents HTTP/1.1',
  [...fields, 'Content-Type: application/json', 'Content-Length: 2'],
  '{}',
)

// For the whole file: a timer that is cleared after a reset takes another one with it.
mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
t.teardown(() => mock.timers.reset())

/** An edge whose time passes only when the test says so. */
async function start(t: Test) {
  const backend = await startRawBackend(t)
  let time = 1_000
  const edge = await startEdge(t, { backendUrl: backend.url, monotonic: () => time })
  // Only the stop ends a connection.
  edge.server.setTimeout(0)
  function passes(ms: number): void {
    time += ms
    mock.timers.tick(ms)
  }
  return { backend, edge, passes }
}

/** A client that sends what the test specifies, and ends its side when the server does. */
function open(t: Test, { url }: TestEdge) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const client = { socket, text: '', isReset: false, isEnded: false }
  socket.on('data', (chunk) => (client.text += chunk.toString('latin1')))
  socket.on('error', () => (client.isReset = true))
  socket.on('close', () => (client.isEnded = true))
  return client
}

type Client = ReturnType<typeof open>

async function accepted(edge: TestEdge, clients: readonly Client[]): Promise<void> {
  await until('accepted', async () => (await edge.connections()) === clients.length)
}

const ended = (clients: readonly Client[]) =>
  until('ended', () => clients.every(({ isEnded }) => isEnded))

const closing = ({ isListening }: TestEdge) => until('the port has closed', () => !isListening())

const farewells = (text: string): number => text.match(/\r\nconnection: close\r\n/gi)?.length ?? 0
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)

t.test('a first call that comes just after the port has closed is answered', async (t) => {
  const { edge } = await start(t)
  const clients = [open(t, edge), open(t, edge), open(t, edge)]
  await accepted(edge, clients)
  const stopped = edge.stop()
  await closing(edge)
  for (const { socket } of clients) socket.write(post)
  await Promise.all([ended(clients), stopped])
  for (const { text, isReset } of clients) {
    t.same([statuses(text), farewells(text), isReset], [['200'], 1, false])
  }
})

t.test(
  'during the drain, earlier connections are asked to close, and later ones are kept until the port has closed',
  async (t) => {
    const { edge, passes } = await start(t)
    const clients = [open(t, edge), open(t, edge)]
    const [before, told] = clients
    before?.socket.write(get)
    told?.socket.write(get)
    await until('an answer has come', () =>
      clients.every(({ text }) => text.includes('{"ok":true}')),
    )
    edge.drain()
    told?.socket.write(post)
    await until('told', () => told?.isEnded === true)
    const late = [open(t, edge), open(t, edge)]
    const [calling] = late
    for (const { socket } of late) socket.write(get.repeat(2))
    await until('an answer has come', () => late.every(({ text }) => statuses(text).length === 2))
    const stopped = edge.stop()
    await closing(edge)
    passes(999)
    calling?.socket.write(post)
    await until('an answer has come', () => calling?.isEnded === true)
    passes(1)
    await Promise.all([ended([...clients, ...late]), stopped])
    t.same(
      [...clients, ...late].map(({ text, isReset }) => [statuses(text), farewells(text), isReset]),
      [
        [['200'], 0, false],
        [['200', '200'], 1, false],
        [['200', '200', '200'], 1, false],
        [['200', '200'], 0, false],
      ],
    )
  },
)

t.test('a silent client is disconnected a second after the port has closed', async (t) => {
  const { edge, passes } = await start(t)
  const [silent, calling] = [open(t, edge), open(t, edge)]
  await accepted(edge, [silent, calling])
  const stopped = edge.stop()
  await closing(edge)
  passes(999)
  calling.socket.write(post)
  await ended([calling])
  t.notOk(silent.isEnded, 'not before')
  passes(1)
  await Promise.all([ended([silent]), stopped])
  t.same([silent.text, silent.isReset], ['', false])
})

t.test('connections that the port has not taken yet when it is to close are served', async (t) => {
  const { edge, passes } = await start(t)
  const clients = Array.from({ length: 20 }, () => open(t, edge))
  for (const { socket } of clients) socket.write(post)
  // From here on the system has completed the connections, and the server has seen none.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  const stopped = edge.stop()
  await closing(edge)
  await until('all are answered', () => clients.every(({ text }) => text.includes('{"ok":true}')))
  passes(1_000)
  await Promise.all([stopped, ended(clients)])
  for (const { text, isReset } of clients) t.same([statuses(text), isReset], [['200'], false])
})

t.test('a call that is arriving on a kept connection when the port closes is served', async (t) => {
  const { edge } = await start(t)
  const clients = [open(t, edge), open(t, edge)]
  for (const { socket } of clients) socket.write(get)
  await until('an answer has come', () => clients.every(({ text }) => text.includes('{"ok":true}')))
  const [busy, idle] = clients
  busy?.socket.write(post)
  await Promise.all([edge.stop(), ended(clients)])
  t.same(
    clients.map(({ isReset }) => isReset),
    [false, false],
  )
  t.same(statuses(busy?.text ?? ''), ['200', '200'])
  t.equal(farewells(busy?.text ?? ''), 1)
  t.same(statuses(idle?.text ?? ''), ['200'])
})

t.test('calls under way when the port closes are answered and end their connections', async (t) => {
  const { backend, edge } = await start(t)
  const held: (() => void)[] = []
  backend.answer = (...told) => void held.push(() => answerOk(...told))
  const clients = [open(t, edge), open(t, edge)]
  const [single, pipeline] = clients
  single?.socket.write(post)
  pipeline?.socket.write(get.repeat(3))
  await until('the backend has them', () => held.length === 4)
  const stopped = edge.stop()
  await closing(edge)
  for (const answer of held) answer()
  await Promise.all([stopped, ended(clients)])
  t.same(
    clients.map(({ isReset }) => isReset),
    [false, false],
  )
  t.same([statuses(single?.text ?? ''), farewells(single?.text ?? '')], [['200'], 1])
  t.same(
    [statuses(pipeline?.text ?? ''), farewells(pipeline?.text ?? '')],
    [['200', '200', '200'], 1],
    'all of a pipeline, and only the last says that it is',
  )
})

t.test(
  'an upload that is not complete soon after the port has closed is refused and not forwarded',
  async (t) => {
    const { backend, edge, passes } = await start(t)
    let forwarded = 0
    backend.answer = (...told) => {
      forwarded += 1
      answerOk(...told)
    }
    const clients = [open(t, edge), open(t, edge)]
    const [whole, late] = clients
    for (const { socket } of clients) socket.write(post.slice(0, -1))
    await accepted(edge, clients)
    const stopped = edge.stop()
    await closing(edge)
    whole?.socket.write('}')
    await until('it is answered', () => whole?.isEnded === true)
    passes(lastUploadMs)
    await Promise.all([stopped, ended(clients)])
    t.same(
      clients.map(({ text, isReset }) => [statuses(text), farewells(text), isReset]),
      [
        [['200'], 1, false],
        [['503'], 1, false],
      ],
    )
    t.match(late?.text, /"code":"OVERLOADED"/)
    t.equal(forwarded, 1)
  },
)
