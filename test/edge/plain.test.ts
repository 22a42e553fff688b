import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { queryObjects } from 'node:v8'
import t, { type Test } from 'tap'
import { Call } from '../../src/gateway/edge/call.ts'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, type RawBackend, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

// A plain request is read without Node's server; a space more before a value makes it one that Node's server reads.
const plain = 'Accept: application/json'
const forNode = 'Accept:  application/json'

const id = '0b6f3c6e-6f0e-4d6a-9a83-6f1f8f6f4c11'
const own = [`X-API-Key: ${testKey}`, `X-Request-ID: ${id}`]

function get(path: string, fields: readonly string[] = [plain]): string {
  return rawRequest(`GET ${path} HTTP/1.1`, [...own, ...fields])
}

/** What a call gets, without what differs between two of the same. */
function constant(text: string): string {
  return (
    text
      .replace(/^Date: (?!Mon, 01 Jan 2024).*$/m, 'Date: …')
      .replace(/r=\d+;t=\d+/g, 'r=…;t=…')
      // Chunks in one turn.
      .replace('3\r\nabc\r\n2\r\nde', '5\r\nabcde')
      .replace(/^(X-RateLimit-(?:Remaining|Reset)): .*$/gim, '$1: …')
  )
}

async function setUp(t: Test, answer: RawBackend['answer'] = answerOk) {
  const backend = await startRawBackend(t)
  backend.answer = answer
  return { backend, edge: await startEdge(t, { backendUrl: backend.url }) }
}

/** A connection to the edge, and what it has received. */
async function open(t: Test, url: string) {
  const socket: Socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  t.teardown(() => socket.destroy())
  const received = { text: '', isEnded: false }
  socket.on('data', (chunk) => {
    received.text += chunk.toString('latin1')
  })
  socket.on('end', () => {
    received.isEnded = true
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const answers = () => received.text.split('HTTP/1.1 200 OK').length - 1
  return { socket, received, answers }
}

const answers: readonly (readonly [name: string, octets: string])[] = [
  ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"accounts":[]}'],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['nothing changed', 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  ],
  ['a long body', `HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`],
  ['an own reason', 'HTTP/1.1 404 Gone Fishing\r\nContent-Length: 2\r\n\r\nno'],
  ['an own status', 'HTTP/1.1 299 Mine\r\nContent-Length: 2\r\n\r\nno'],
  ['octets beyond ASCII', 'HTTP/1.1 200 OK\r\nX-Name: Zo\xeb\r\nContent-Length: 2\r\n\r\n\xff\xfe'],
  [
    'its own date',
    'HTTP/1.1 200 OK\r\ndate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n',
  ],
  ['an error', 'HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno'],
  ['no message', 'NOT HTTP\r\n\r\n'],
  [
    'equal fields',
    'HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n',
  ],
]

for (const [name, octets] of answers) {
  t.test(`a plain request gets the octets that Node's server would send: ${name}`, async (t) => {
    const { edge } = await setUp(t, (_, socket) => void socket.write(octets, 'latin1'))
    const ours = await sendRaw(edge.url, get('/v1.7.0/accounts'))
    const nodes = await sendRaw(edge.url, get('/v1.7.0/accounts', [forNode]))
    t.ok(ours.status >= 200)
    t.equal(constant(ours.text), constant(nodes.text))
  })
}

const refused: readonly (readonly [name: string, request: string])[] = [
  ['no key', rawRequest('GET /v1.7.0/accounts HTTP/1.1', [`X-Request-ID: ${id}`])],
  ['another path', get('/nowhere')],
  ['another version', get('/v9.9.9/accounts')],
  ['a path of two meanings', get('/v1.7.0/accounts/../consents')],
  ['two keys', get('/v1.7.0/accounts', [plain, `X-API-Key: ${testKey}`])],
  ['a field with an underscore', get('/v1.7.0/accounts', [plain, 'X_Y: 1'])],
]

for (const [name, request] of refused) {
  t.test(`a plain request is refused with the octets of Node's server: ${name}`, async (t) => {
    const { edge } = await setUp(t)
    const ours = await sendRaw(edge.url, request)
    const nodes = await sendRaw(edge.url, request.replace(/^X-Request-ID: /m, 'X-Request-ID:  '))
    t.ok(ours.status >= 400)
    t.equal(constant(ours.text), constant(nodes.text))
  })
}

t.test('a connection carries plain requests and others in any order', async (t) => {
  const { edge, backend } = await setUp(t)
  const { socket, answers } = await open(t, edge.url)
  const post = rawRequest(
    'POST /v1.7.0/consents HTTP/1.1',
    [...own, 'Content-Type: application/json', 'Content-Length: 2'],
    '{}',
  )
  const requests = [get('/v1.7.0/accounts'), get('/v1.7.0/accounts', [forNode]), post]
  for (const [at, request] of [...requests, ...requests].entries()) {
    socket.write(request)
    await until('it is answered', () => answers() === at + 1)
  }
  t.same(
    backend.requests.map(({ method }) => method),
    ['GET', 'GET', 'POST', 'GET', 'GET', 'POST'],
  )
})

t.test('requests that arrive while one is under way are answered in order', async (t) => {
  const held: (() => void)[] = []
  const { edge } = await setUp(t, ({ target }, socket) => {
    held.push(() => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"${target.slice(-1)}"`)
    })
  })
  const { socket, received, answers } = await open(t, edge.url)
  const paths = ['/v1.7.0/accounts?a=1', '/v1.7.0/accounts?a=2', '/v1.7.0/accounts?a=3']
  socket.write(get(paths[0] ?? ''))
  await until('the first is under way', () => held.length === 1)
  // The last one in two parts.
  const last = get(paths[2] ?? '')
  socket.write(get(paths[1] ?? '') + last.slice(0, 30))
  held[0]?.()
  await until('the second is under way', () => held.length === 2)
  socket.write(last.slice(30))
  await until('the third is under way', () => held.length === 3)
  held[2]?.()
  held[1]?.()
  await until('all are answered', () => answers() === 3)
  t.same(received.text.match(/"\d"/g), ['"1"', '"2"', '"3"'])
})

t.test('a client that closes its side gets its answer, and then the end', async (t) => {
  const { edge } = await setUp(t)
  const { socket, received, answers } = await open(t, edge.url)
  socket.end(get('/v1.7.0/accounts'))
  await until('the connection ends', () => received.isEnded)
  t.equal(answers(), 1)
})

t.test('a client that asks for more and closes its side gets all answers', async (t) => {
  for (const fields of [[plain], [forNode]]) {
    let letGo: (() => void) | undefined
    const { edge } = await setUp(t, (request, socket) => {
      if (letGo === undefined) letGo = () => answerOk(request, socket)
      else answerOk(request, socket)
    })
    const { socket, received, answers } = await open(t, edge.url)
    socket.write(get('/v1.7.0/accounts'))
    await until('the first is under way', () => letGo !== undefined)
    socket.end(get('/v1.7.0/accounts', fields))
    letGo?.()
    await until('the connection ends', () => received.isEnded)
    t.equal(answers(), 2)
  }
})

t.test('answers that wait for their clients stay as they are', async (t) => {
  const length = 6_000_000
  const { edge } = await setUp(t, ({ target }, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(length, target.slice(-1)))
  })
  const clients = await Promise.all(['1', '2', '3'].map(() => open(t, edge.url)))
  for (const [at, { socket }] of clients.entries()) {
    socket.pause()
    socket.write(get(`/v1.7.0/accounts?a=${at + 1}`))
  }
  for (let others = 0; others < 20; others += 1) await sendRaw(edge.url, get('/nowhere'))
  for (const { socket } of clients) socket.resume()
  for (const [at, { received }] of clients.entries()) {
    await until('all has arrived', () => received.text.length > length)
    const body = received.text.slice(received.text.indexOf('\r\n\r\n') + 4)
    t.ok(body === String(at + 1).repeat(length))
  }
})

t.test('a client that leaves while its call is under way frees the backend', async (t) => {
  let isFreed = false
  const { edge, backend } = await setUp(t, (_, socket) => {
    socket.on('close', () => {
      isFreed = true
    })
  })
  const { socket } = await open(t, edge.url)
  socket.write(get('/v1.7.0/accounts'))
  await until('the call is at the backend', () => backend.requests.length === 1)
  resetConnection(socket)
  await until('its connection is closed', () => isFreed)
  await until('it is counted', async () => /outcome="aborted"\} 1/.test(await edge.metrics()))
})

t.test('a client that reads slowly gets all of a long answer', async (t) => {
  const length = 20_000_000
  const { edge } = await setUp(t, (_, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write(Buffer.alloc(length, 97))
  })
  const { socket } = await open(t, edge.url)
  let octets = 0
  socket.removeAllListeners('data')
  socket.on('data', (chunk) => {
    octets += chunk.length
    socket.pause()
    setImmediate(() => socket.resume())
  })
  socket.write(get('/v1.7.0/accounts'))
  await until('all has arrived', () => octets > length)
})

t.test('an answer that the backend breaks off is broken off', async (t) => {
  const { edge } = await setUp(t, (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy())
  })
  const { isClosed, body } = await sendRaw(edge.url, get('/v1.7.0/accounts'))
  t.ok(isClosed)
  t.equal(body, 'half')
})

t.test('the last answer of a connection says so', async (t) => {
  const { edge } = await setUp(t)
  const { socket, received } = await open(t, edge.url)
  const request = get('/v1.7.0/accounts')
  for (let at = 0; !received.isEnded && at < 1_001; at += 1) {
    received.text = ''
    socket.write(request)
    await until('it is answered', () => received.isEnded || received.text.endsWith('{"ok":true}'))
    if (at === 998) t.match(received.text, 'Connection: keep-alive')
    if (at === 999) t.match(received.text, 'Connection: close')
  }
  await until('the connection ends', () => received.isEnded)
})

t.test('a connection that sends nothing gets 408 and is closed', async (t) => {
  const { edge } = await setUp(t)
  edge.server.headersTimeout = 20
  const { received } = await open(t, edge.url)
  await until('the connection ends', () => received.isEnded)
  t.match(received.text, /^HTTP\/1\.1 408 /)
})

t.test('a connection without calls is closed', async (t) => {
  const { edge } = await setUp(t)
  edge.server.timeout = 20
  edge.server.keepAliveTimeout = 50
  const { socket, received, answers } = await open(t, edge.url)
  socket.write(get('/v1.7.0/accounts'))
  await until('the connection ends', () => received.isEnded)
  t.equal(answers(), 1)
})

t.test('a client that does not take its answer is disconnected', async (t) => {
  const { edge } = await setUp(t, (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n')
    socket.write(Buffer.alloc(90_000_000))
  })
  edge.server.timeout = 200
  const { socket } = await open(t, edge.url)
  socket.pause()
  socket.write(get('/v1.7.0/accounts'))
  await until('the call ends', async () => /outcome="aborted"\} 1/.test(await edge.metrics()))
  t.equal(await edge.connections(), 0)
})

t.test('an idle connection keeps nothing of its last call', async (t) => {
  const { edge } = await setUp(t)
  for (const fields of [[plain], [forNode], ['X-API-Key: tg_unknown', plain]]) {
    const { socket, received } = await open(t, edge.url)
    socket.write(get('/v1.7.0/accounts', fields))
    await until('it is answered', () => received.text.includes('\r\n\r\n'))
  }
  // (It collects garbage first.)
  await until('no call is kept', () => queryObjects(Call, { format: 'count' }) === 0)
})
