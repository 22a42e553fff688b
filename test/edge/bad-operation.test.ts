import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import { callerOf, startEdge, type TestEdgeOptions } from '../support/edge.ts'
import { answerOk, type RawBackend, startRawBackend } from '../support/raw-backend.ts'
import { rawRequest, sendRaw } from '../support/raw-client.ts'
import { until } from '../support/until.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const whole = `${ok}Content-Length: 2\r\n\r\n{}`
const part = `${ok}Content-Length: 100\r\n\r\nabc`

/** Connections on which another octet of an answer is due. */
const dripping = new Set<Socket>()

function drip(): void {
  for (const socket of dripping) socket.write('x')
}

/** What the backend does with every call of one operation. */
const conducts: Readonly<Record<string, RawBackend['answer']>> = {
  'never answers': () => undefined,
  'answers with a part and then silence': (_, socket) => void socket.write(part),
  'answers octet by octet': (_, socket) => {
    socket.write(`${ok}Content-Length: 100000\r\n\r\n`)
    dripping.add(socket)
    socket.on('close', () => dripping.delete(socket))
  },
  'breaks off its answers': (_, socket) => void socket.write(part, () => resetConnection(socket)),
  'ends connections without an answer': (_, socket) => void socket.end(),
  'answers twice': (_, socket) => void socket.write(whole + whole),
  'sends more than it declares': (_, socket) => void socket.write(`${whole}more`),
  'sends endless fields': (_, socket) =>
    void socket.write(ok + `X-A: ${'b'.repeat(1_000)}\r\n`.repeat(1_000)),
  'sends endless interim answers': (_, socket) =>
    void socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1_000)),
}

/** One of each developer. */
const keys = Array.from({ length: 20 }, (_, at) => `tg_key${at}`)
const callers = new Map(keys.map((key, at) => [key, callerOf(`app-${at}`)] as const))
/** Half the bounds of production. One operation may have half of each. */
const backendLimits = { backendConnectionsMax: 128, backendQueueMax: 256 }
const connectionsOfOne = 64
/** More than one operation may have. */
const pressing = 200
const bad = 'GET /v1.7.0/accounts/bad HTTP/1.1'
const alsoBad = ['GET /v1.7.0/card-accounts/bad HTTP/1.1', 'GET /v1.7.0/consents/bad HTTP/1.1']
const badUpload = 'POST /v1.7.0/payments/bad HTTP/1.1'
const good = ['GET /v1.7.0/accounts HTTP/1.1', 'POST /v1.7.0/consents HTTP/1.1']

/** An edge whose time passes only when the test says so: no call of a bad operation ends by its limit. */
async function start(
  t: Test,
  conduct: RawBackend['answer'],
  callLimits: TestEdgeOptions['callLimits'] = {},
) {
  const backend = await startRawBackend(t)
  backend.answer = (asked, socket) =>
    (asked.target.includes('/bad') ? conduct : answerOk)(asked, socket)
  let time = 1_000
  const { url } = await startEdge(t, {
    backendUrl: backend.url,
    callers,
    backendLimits,
    callLimits: { callsPerApplication: 64, ...callLimits },
    monotonic: () => time,
  })
  function passes(ms: number): void {
    time += ms
  }
  return { backend, url, passes }
}

function request(line: string, key: string): string {
  const length = line.startsWith('POST') ? ['Content-Length: 2'] : []
  return rawRequest(line, [`X-API-Key: ${key}`, ...length], length.length === 0 ? '' : '{}')
}

function upload(line: string, key: string, octets: number): string {
  return rawRequest(line, [`X-API-Key: ${key}`, `Content-Length: ${octets}`], 'x'.repeat(octets))
}

/** Clients that call a bad operation. @returns lets each call again whose connection has ended */
function press(t: Test, url: string, line = bad): () => void {
  const open = new Map<number, Socket>()
  function come(at: number): void {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    open.set(at, socket)
    socket.on('error', () => undefined).on('close', () => open.delete(at))
    socket.resume()
    socket.write(
      request(line, keys[at % keys.length] ?? '').replace('\r\n', '\r\nConnection: close\r\n'),
    )
  }
  function again(): void {
    for (let at = 0; at < pressing; at += 1) if (!open.has(at)) come(at)
  }
  again()
  t.teardown(() => {
    // After an ordinary end the edge would finish a call that waits for the backend.
    for (const socket of open.values()) resetConnection(socket)
  })
  return again
}

/** Calls of the other operations, by every application. @returns their statuses */
async function statusesOfOthers(url: string): Promise<number[]> {
  const answers = await Promise.all(
    keys.flatMap((key) => good.map((line) => sendRaw(url, request(line, key)))),
  )
  return [...new Set(answers.map(({ status }) => status))]
}

for (const [name, conduct] of Object.entries(conducts)) {
  t.test(`an operation whose backend ${name} starves no other, for any application`, async (t) => {
    const { backend, url, passes } = await start(t, conduct)
    const again = press(t, url)
    const badOnes = () => backend.requests.filter(({ target }) => target.includes('/bad')).length
    await until('the backend has what one operation may have', () => badOnes() >= connectionsOfOne)
    for (const _round of [1, 2]) {
      again()
      drip()
      t.same(await statusesOfOthers(url), [200])
    }
    backend.answer = answerOk
    // As long as a call may take.
    passes(25_000)
    await until('the operation has its places back', async () => {
      drip()
      return (await sendRaw(url, request(bad, keys[0] ?? ''))).status === 200
    })
  })
}

t.test('three silent operations at once starve no other, for any application', async (t) => {
  const { backend, url } = await start(t, () => undefined)
  const all = [bad, ...alsoBad].map((line) => press(t, url, line))
  await until(
    'the backend has what each may have',
    () => backend.requests.length >= (3 / 2) * connectionsOfOne,
  )
  for (const _round of [1, 2]) {
    for (const again of all) again()
    t.same(await statusesOfOthers(url), [200])
  }
})

t.test('the bodies of a silent operation leave memory for those of others', async (t) => {
  const uploadBufferMax = 33_554_432
  const { backend, url } = await start(t, () => undefined, { uploadBufferMax })
  const size = 262_144
  const uploaders = keys.flatMap((key) => Array.from({ length: 4 }, () => key))
  let refused = 0
  for (const key of uploaders) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => resetConnection(socket))
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        if (chunk.includes('"code":"OVERLOADED"')) refused += 1
      })
    socket.write(upload(badUpload, key, size))
  }
  await until(
    'each body is at the backend or refused',
    () => backend.requests.length + refused === uploaders.length,
  )
  t.ok(backend.requests.length * size >= uploadBufferMax / 2, 'the operation has its half')
  for (const key of keys) {
    const { status } = await sendRaw(url, upload('POST /v1.7.0/consents HTTP/1.1', key, 1_048_576))
    t.equal(status, 200)
  }
})
