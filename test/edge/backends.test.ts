import { mock } from 'node:test'
import t from 'tap'
import { burst, codeOf, createClient } from '../support/calling.ts'
import { startEdge, testKey } from '../support/edge.ts'
import { answerOk, startRawBackend } from '../support/raw-backend.ts'
import { until } from '../support/until.ts'

const key = testKey
const accounts = '/v1.7.0/accounts'
const mandates = '/v1.0.0/mandates/0d5f3d52-3a6e-4a41-8a5c-0c4f1d1f0a11'

t.test(
  'a backend of one API gets the calls of that API alone, and while it is silent the other APIs are served',
  async (t) => {
    const [rest, own] = [await startRawBackend(t), await startRawBackend(t)]
    let moved = 0
    const edge = await startEdge(t, {
      backendUrl: rest.url,
      backendUrls: new Map([['xs2a', own.url]]),
      backendLimits: { backendConnectionsMax: 4, backendQueueMax: 0 },
      monotonic: () => performance.now() + moved,
    })
    const client = createClient(t, edge.url)
    t.equal((await client.call({ key, path: accounts })).status, 200)
    t.equal((await client.call({ key, path: mandates })).status, 200)
    t.same(
      own.requests.map(({ target }) => target),
      [accounts],
    )
    t.same(
      rest.requests.map(({ target }) => target),
      [mandates],
    )
    for (const { requests, url } of [own, rest]) {
      t.same(requests[0]?.headers.get('host'), [new URL(url).host])
    }

    own.answer = () => undefined
    const silent = burst([client], 2, { key, path: accounts })
    await until('the silent backend has all it may have', () => own.requests.length === 3)
    const refused = await client.call({ key, path: accounts })
    t.equal(codeOf(refused), 'OVERLOADED', 'one operation has half of the places')
    for (let call = 0; call < 8; call += 1) {
      t.equal((await client.call({ key, path: mandates })).status, 200)
    }
    moved += 10_000
    for (const answer of await silent) t.equal(codeOf(answer), 'BACKEND_TIMEOUT')
  },
)

t.test('the times for the first byte, for a pause and for a whole call are settings', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const backend = await startRawBackend(t)
  let time = 1_000
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    backendLimits: { backendFirstByteMs: 40_000, backendIdleMs: 5_000, backendCallMs: 60_000 },
    monotonic: () => time,
  })
  // No other time limit ends a call.
  edge.server.setTimeout(0)
  /** Then the gateway looks at its exchanges. */
  function passes(ms: number): void {
    time += ms
    mock.timers.tick(250)
  }
  const client = createClient(t, edge.url)
  const late: (() => void)[] = []
  backend.answer = (request, socket) => void late.push(() => answerOk(request, socket))
  const patient = client.call({ key, path: accounts })
  await until('the backend has it', () => late.length === 1)
  passes(39_000)
  late.shift()?.()
  t.equal((await patient).status, 200, 'an answer after 39 s is in time')

  const silent = client.call({ key, path: accounts })
  await until('the backend has it', () => late.length === 1)
  passes(40_000)
  t.equal(codeOf(await silent), 'BACKEND_TIMEOUT')

  backend.answer = (_request, socket) =>
    void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\nbegun')
  const paused = await fetch(edge.url + accounts, { headers: { 'x-api-key': key } })
  t.equal(paused.status, 200, 'it has begun')
  passes(0)
  passes(5_000)
  await t.rejects(paused.text(), 'the client sees that it is incomplete')
})

t.test('a body may be as long as BODY_BYTES_MAX, declared or not', async (t) => {
  const backend = await startRawBackend(t)
  const edge = await startEdge(t, { backendUrl: backend.url, callLimits: { bodyBytesMax: 2_000 } })
  async function send(octets: number, isChunked: boolean): Promise<number> {
    const body = 'x'.repeat(octets)
    const response = await fetch(`${edge.url}/v1.7.0/consents`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: isChunked ? new Blob([body]).stream() : body,
      duplex: 'half',
    })
    const text = await response.text()
    if (response.status === 413) t.match(text, /at most 2000 bytes/)
    return response.status
  }
  for (const isChunked of [false, true]) {
    t.equal(await send(2_000, isChunked), 200)
    t.equal(await send(2_001, isChunked), 413)
  }
})
