import { once } from 'node:events'
import { connect } from 'node:net'
import { mock } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import t, { type Test } from 'tap'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { createTestAuthority, createTestTls } from '../support/certificates.ts'
import { startEdge, type TestEdgeOptions, testKey } from '../support/edge.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { openConnection } from '../support/open-connection.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { followTaken } from '../support/taken.ts'
import { until } from '../support/until.ts'

const get = rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-API-Key: ${testKey}`])

const nothing = get.replace('/accounts', '/nothing')

async function start(t: Test, options: Partial<TestEdgeOptions> = {}) {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, ...options })
  return { backend, edge, url: edge.url }
}

/** All that comes until the connection ends, and whether it ended without a reset. */
function untilClosed(url: string, octets: string, halfCloses = false) {
  return new Promise<{ text: string; isReset: boolean }>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let text = ''
    let isReset = false
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', () => (isReset = true))
    socket.on('close', () => resolve({ text, isReset }))
    if (halfCloses) socket.end(octets)
    else socket.write(octets)
  })
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code)

t.test(
  'a client that half-closes after its requests gets all answers, even late ones',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    const { backend, edge, url } = await start(t)
    const opened = once(edge.server, 'connection')
    const held: (() => void)[] = []
    backend.answer = (...told) => {
      // The second is late: nothing is sent or received for longer than a closing connection lingers.
      if (backend.requests.length === 2) held.push(() => answerOk(...told))
      else answerOk(...told)
    }
    const closed = untilClosed(url, get.repeat(3), true)
    const [atGateway] = await opened
    await until('the gateway has seen the end', () => atGateway.readableEnded)
    await until('the backend has all calls', () => backend.requests.length === 3)
    mock.timers.tick(2_500)
    held[0]?.()
    const { text, isReset } = await closed
    t.same(statuses(text), ['200', '200', '200'])
    t.notOk(isReset)
  },
)

t.test('a connection that owes no answer ends at once when its client ends its side', async (t) => {
  const { edge, url } = await start(t)
  // No time limit ends one.
  Object.assign(edge.server, { headersTimeout: 0, keepAliveTimeout: 0 }).setTimeout(0)
  t.same(await untilClosed(url, '', true), { text: '', isReset: false })
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.write(get)
  await once(socket, 'data')
  socket.end()
  await once(socket, 'close')
})

t.test('answers that are owed come before the refusal of CONNECT', async (t) => {
  const { backend, url } = await start(t)
  // More than a connection takes at once: its flow goes on after CONNECT.
  const body = 'x'.repeat(3_000_000)
  backend.answer = (_request, socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const tunnel = 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'
  const { text } = await untilClosed(url, `${get.repeat(2)}${tunnel}`)
  t.same(statuses(text), ['200', '200', '501'])
  t.ok(text.length > 2 * body.length)
})

t.test(
  'an answer cut while it waits in a pipeline ends the connection after the others',
  async (t) => {
    const { backend, url } = await start(t)
    let answerFirst = () => {}
    backend.answer = (request, socket) => {
      if (backend.requests.length === 1) answerFirst = () => answerOk(request, socket)
      else {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\nonly this')
        socket.on('close', () => answerFirst())
      }
    }
    const { text } = await untilClosed(url, get.repeat(2))
    t.same(statuses(text), ['200'])
  },
)

t.test(
  'an answer with another X-Request-ID is 502 and ends its connection to the backend',
  async (t) => {
    const { backend, url } = await start(t, { backendEchoesRequestId: true })
    const id = '5b2c0a51-7f0a-4b1e-9a63-6a0f3a8c1d11'
    const ask = (sent: string) =>
      sendRaw(url, get.replace('\r\nX-API', `\r\nX-Request-ID: ${sent}\r\nX-API`))
    const answers = (told: string): void => {
      backend.answer = (_request, socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nX-Request-ID: ${told}\r\nContent-Length: 2\r\n\r\nok`)
    }
    answers(id.toUpperCase())
    t.equal((await ask(id)).status, 200)
    answers(id.replace('5b2', 'aaa'))
    const foreign = await ask(id)
    t.equal(foreign.status, 502)
    t.match(foreign.body, '"code":"BACKEND_BAD_RESPONSE"')
    t.equal(
      (await ask('not-a-uuid')).status,
      200,
      'an unusable id is answered with one of the backend',
    )
    t.same(
      backend.requests.map(({ connection }) => connection),
      [0, 0, 1],
    )
  },
)

t.test(
  'the thousandth answer of a connection says that it is the last, and later requests are ignored',
  async (t) => {
    const { backend, url } = await start(t)
    const { text, isReset } = await untilClosed(url, nothing.repeat(990) + get.repeat(20))
    t.same(
      statuses(text),
      Array.from({ length: 1_000 }, (_, at) => (at < 990 ? '404' : '200')),
    )
    t.equal(text.match(/\r\nconnection: close\r\n/gi)?.length, 1)
    t.notMatch(text, /max=/)
    t.equal(backend.requests.length, 10)
    t.notOk(isReset)
  },
)

t.test('a backend whose TLS handshake fails could not be reached: nothing was sent', async (t) => {
  const server = createTlsServer((socket) => socket.destroy())
  server.on('tlsClientError', () => undefined)
  const port = await listenOnLoopback(server)
  t.teardown(() => server.close())
  const { url } = await start(t, { backendUrl: `https://127.0.0.1:${port}` })
  const answer = await sendRaw(url, get)
  t.equal(answer.status, 502)
  t.match(answer.body, '"code":"BACKEND_UNREACHABLE"')
})

t.test(
  'a client that resets its connection after CONNECT ends nothing but its connection',
  async (t) => {
    const { url } = await start(t)
    const taken = followTaken(t)
    for (const more of ['', 'Content-Length: 10\r\n', 'Transfer-Encoding: chunked\r\n']) {
      for (const isAnswered of [true, false]) {
        const { hostname: host, port } = new URL(url)
        const socket = connect({ host, port: Number(port), allowHalfOpen: true })
        socket.on('error', () => undefined)
        await once(socket, 'connect')
        socket.write(`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n${more}\r\n`)
        if (isAnswered) t.match(`${(await once(socket, 'data'))[0]}`, /^HTTP\/1\.1 501 /)
        else await taken(socket)
        resetConnection(socket)
        await once(socket, 'close')
      }
    }
    // The resets have arrived when a later connection is served.
    t.equal((await fetch(`${url}/v1.7.0/accounts`)).status, 401)
  },
)

t.test('octets after a parse error leave nothing behind', async (t) => {
  const tls = createTestTls(createTestAuthority(t).issue())
  const { url, backend, edge } = await start(t, { tls })
  const held: (() => void)[] = []
  backend.answer = (...told) => void held.push(() => answerOk(...told))
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const accepted = once(edge.server, 'secureConnection')
  const { socket } = openConnection(url)
  let text = ''
  socket.on('error', () => undefined).on('end', () => socket.destroy())
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  const [[atGateway]] = await Promise.all([accepted, once(socket, 'secureConnect')])
  socket.write(`${get}GARBAGE\r\n\r\n`)
  await until('the backend has the call', () => held.length === 1)
  // The client goes on while its answer is due.
  for (let rest = 0; rest < 40; rest += 1) {
    const before = atGateway.bytesRead
    socket.write('?')
    await until('the gateway has read it', () => atGateway.bytesRead > before)
  }
  held[0]?.()
  await once(socket, 'close')
  t.same(statuses(text), ['200'])
  t.same(warnings, [], 'no listener for each of them')
})
