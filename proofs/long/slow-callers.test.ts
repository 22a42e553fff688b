import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { resetConnection } from '../../src/platform/http/reset-connection.ts'
import type { Authentication } from '../../src/registry/registry.ts'
import { callerOf, startEdge, type TestEdgeOptions, testKey } from '../../test/support/edge.ts'
import { answerOk, startRawBackend } from '../../test/support/raw-backend.ts'
import { rawRequest, sendRaw } from '../../test/support/raw-client.ts'
import { until } from '../../test/support/until.ts'

const post = 'POST /v1.7.0/consents HTTP/1.1'
const get = 'GET /v1.7.0/accounts HTTP/1.1'
const limit = {
  name: 'default',
  calls: 1_000,
  windowLength: 31_536_000,
  isAdvertised: true,
  scope: 'operation' as const,
}
/** Keys of 20 applications besides the test key's, each of its own developer. */
const others = Array.from({ length: 20 }, (_, at) => `tg_other${at}`)
/** Keys of 20 applications of one developer. */
const siblings = Array.from({ length: 20 }, (_, at) => `tg_sibling${at}`)
const callers = new Map<string, Authentication>([
  ...[testKey, ...others].map((key, at) => [key, callerOf(`app-${at}`)] as const),
  ...siblings.map(
    (key, at) => [key, callerOf(`sibling-${at}`, { developerId: 'developer' })] as const,
  ),
])

/** An edge with the bounds of production and a clock that the test may move. */
async function start(t: Test, options: Partial<TestEdgeOptions> = {}) {
  const backend = await startRawBackend(t)
  let ahead = 0
  const edge = await startEdge(t, {
    backendUrl: backend.url,
    callers,
    plan: { limits: [limit] },
    monotonic: () => performance.now() + ahead,
    ...options,
    callLimits: { callsPerApplication: 64, ...options.callLimits },
  })
  function passes(ms: number): void {
    ahead += ms
  }
  return { backend, edge, url: edge.url, passes }
}

/** A connection that sent something and shows what it got. */
function open(t: Test, url: string, octets: string, localAddress = '127.0.0.1') {
  const socket: Socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    localAddress,
  })
  const client = { socket, text: '', isClosed: false }
  // After an ordinary end the edge would finish a call that waits for the backend.
  t.teardown(() => resetConnection(socket))
  socket.on('error', () => undefined).on('close', () => (client.isClosed = true))
  socket.on('data', (chunk) => (client.text += chunk.toString('latin1')))
  socket.write(octets)
  return client
}

const keyField = (key: string) => `X-API-Key: ${key}`
const request = (line: string, key: string, extra: readonly string[] = [], body = '') =>
  rawRequest(line, [keyField(key), ...extra], body)
const withheld = [
  (key: string) => request(post, key, ['Content-Length: 10', 'Expect: 100-continue']),
  (key: string) => request(post, key, ['Content-Length: 10'], 'abc'),
  (key: string) => request(post, key, ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'),
]

/** What is left of the limit of an operation for a key. */
async function remaining(url: string, line: string, key: string, body = ''): Promise<number> {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  const answer = await sendRaw(url, request(line, key, length, body))
  return Number(answer.headers.get('x-ratelimit-remaining'))
}

t.test(
  '300 withheld bodies of one key take no connection to the backend and no call of another application',
  async (t) => {
    const { backend, url } = await start(t)
    const clients = Array.from({ length: 300 }, (_, at) =>
      open(t, url, withheld[at % 3]?.(testKey) ?? '', `127.0.0.${2 + (at % 8)}`),
    )
    const refused = () => clients.filter(({ text }) => text.includes('429'))
    await until('64 are under way and the others are refused', () => refused().length === 236)
    const retried = /^HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n.*"code":"CONCURRENCY_EXCEEDED"/is
    t.ok(refused().every(({ text }) => retried.test(text)))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        sendRaw(
          url,
          at % 2 === 0
            ? request(get, others[at % 20] ?? '')
            : request(post, others[at % 20] ?? '', ['Content-Length: 2'], '{}'),
        ),
      ),
    )
    t.ok(answers.every(({ status }) => status === 200))
    t.equal(backend.requests.length, 100, 'nothing of theirs reached the backend')
    const waiting = clients.filter((client) => !refused().includes(client))
    const expecting = waiting.find(({ text }) => text.startsWith('HTTP/1.1 100 '))
    expecting?.socket.write('0123456789')
    await until('a body that comes is answered', () => expecting?.text.includes('200 OK') === true)
    t.equal(await remaining(url, post, testKey, '{}'), 998, 'nothing else of theirs was counted')
  },
)

t.test(
  'one slow operation leaves connections and places to the others, for every application',
  async (t) => {
    const { backend, edge, url } = await start(t)
    const held: (() => void)[] = []
    backend.answer = (asked, socket) => {
      if (asked.target.includes('/slow')) held.push(() => answerOk(asked, socket))
      else answerOk(asked, socket)
    }
    const slow = 'GET /v1.7.0/accounts/slow HTTP/1.1'
    const clients = others.flatMap((key) =>
      Array.from({ length: 30 }, () => open(t, url, request(slow, key))),
    )
    const overloaded = () => clients.filter(({ text }) => text.includes('"code":"OVERLOADED"'))
    await until('its places are taken', () => overloaded().length === 600 - 384)
    t.equal(held.length, 128)
    for (const key of others) {
      t.equal((await sendRaw(url, request(get, key))).status, 200)
      t.equal((await sendRaw(url, request(get, testKey))).status, 200)
    }
    backend.answer = answerOk
    for (const answer of held) answer()
    await until('those that waited are answered', () =>
      clients.every(({ text }) => text.includes('200 OK') || text.includes('503')),
    )
    t.match(await edge.metrics(), /outcome="OVERLOADED"\} 216$/m)
  },
)

t.test('a body that stays away, or trickles, is answered 408 and not counted', async (t) => {
  const { backend, url, passes } = await start(t)
  const before = await remaining(url, post, testKey, '{}')
  const clients = withheld.map((octets) => open(t, url, octets(testKey)))
  const steady = open(t, url, request(post, testKey, ['Content-Length: 30000'], 'x'.repeat(5_000)))
  await until('100 was sent', () => clients[0]?.text.startsWith('HTTP/1.1 100 ') === true)
  passes(9_000)
  steady.socket.write('x'.repeat(6_000))
  for (const { socket } of clients.slice(1)) socket.write('1\r\n')
  t.notOk(clients.some(({ text }) => text.includes('408')))
  passes(1_000)
  for (const client of clients) {
    await until('its connection ends', () => client.isClosed)
    t.match(client.text, /HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s)
    t.match(client.text, /\r\nconnection: close\r\n/i)
  }
  t.notOk(steady.isClosed, 'one that brings 1 KiB a second goes on')
  steady.socket.write('x'.repeat(18_000))
  await until('until its whole time is over', () => {
    // The gateway may have begun to receive it late.
    passes(1_000)
    return steady.isClosed
  })
  t.match(steady.text, /^HTTP\/1\.1 408 /)
  t.equal(await remaining(url, post, testKey, '{}'), before - 1)
  t.equal(backend.requests.length, 2)
})

t.test(
  'a body that comes in one burst and then stays away is answered 408 after 10 s',
  async (t) => {
    const { url, passes } = await start(t)
    const size = 1_048_576
    const burst = request(post, testKey, [`Content-Length: ${size}`], 'x'.repeat(size - 1))
    const client = open(t, url, burst)
    await until('its octets have left', () => client.socket.bytesWritten === burst.length)
    let passed = 0
    await until('it is answered', () => {
      passes(100)
      passed += 100
      return client.text.startsWith('HTTP/1.1 408 ')
    })
    t.ok(passed < 15_000, `after ${passed} ms, before its whole time is over`)
  },
)

t.test('a body that brings just the minimum rate arrives', async (t) => {
  const { url, passes } = await start(t)
  const phone = open(t, url, request(post, testKey, ['Content-Length: 16384']))
  for (let part = 0; part < 4; part += 1) {
    passes(4_000)
    phone.socket.write('x'.repeat(4_096))
    t.equal((await sendRaw(url, request(get, testKey))).status, 200, 'others are served')
  }
  await until('it is answered', () => phone.text.startsWith('HTTP/1.1 200 '))
})

const memory = 16_777_216
const partBody = 65_536

/** Withholds the last octet of 64 bodies of each application, all that it may have under way. */
async function withholdAll(t: Test, url: string, keys: readonly string[]) {
  const octets = 'x'.repeat(partBody - 1)
  const bodies: ReturnType<typeof open>[] = []
  for (const key of keys) {
    for (let made = 0; made < 64; made += 1) {
      bodies.push(open(t, url, request(post, key, [`Content-Length: ${partBody}`], octets)))
    }
    // A listener keeps only 4,096 connections waiting, and the system may keep fewer.
    await until('they are connected', () => bodies.every(({ socket }) => !socket.connecting))
  }
  const refused = () => bodies.filter(({ text }) => code(text) !== undefined)
  return {
    bodies,
    refused,
    /** Until the others are refused. */
    keeps: (most: number) =>
      until(`at most ${most} wait`, () => bodies.length - refused().length <= most),
  }
}

const code = (text: string) => /"code":"(\w+)"/.exec(text)?.[1]

/** Sends a body of this many octets. */
function send(url: string, key: string, octets: number) {
  const body = 'x'.repeat(octets)
  return sendRaw(url, request(post, key, [`Content-Length: ${octets}`], body))
}

for (const count of [4, 8, 20]) {
  t.test(
    `${count} applications of one developer that withhold large bodies leave room for the bodies of others`,
    async (t) => {
      const { url } = await start(t, { callLimits: { uploadBufferMax: memory } })
      const { refused, keeps } = await withholdAll(t, url, siblings.slice(0, count))
      await keeps(memory / 4 / partBody)
      t.same([...new Set(refused().map(({ text }) => code(text)))], ['CONCURRENCY_EXCEEDED'])
      for (const octets of [2, 1_048_576]) {
        t.equal((await send(url, testKey, octets)).status, 200, `${octets} octets`)
      }
    },
  )
}

t.test(
  'an application that withholds large bodies leaves room for the others of its developer',
  async (t) => {
    const { url } = await start(t, { callLimits: { uploadBufferMax: memory } })
    const [greedy = '', other = ''] = siblings
    const { bodies, refused, keeps } = await withholdAll(t, url, [greedy])
    await keeps(memory / 8 / partBody)
    t.equal(code((await send(url, greedy, partBody)).body), 'CONCURRENCY_EXCEEDED')
    t.match(refused()[0]?.text, /^HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n/is)
    for (const octets of [2, 1_048_576]) {
      t.equal((await send(url, other, octets)).status, 200, `${octets} octets`)
    }
    const held = bodies.find(({ text }) => text === '')
    held?.socket.write('x')
    await until('a whole body is answered', () => held?.text.includes('200 OK') === true)
    await until('and gives back', async () => (await send(url, greedy, partBody)).status === 200)
  },
)

t.test(
  'a body that declares more than there is room for is refused before it arrives, and without 100',
  async (t) => {
    const { url } = await start(t, { callLimits: { uploadBufferMax: memory } })
    const [greedy = ''] = siblings
    const { keeps } = await withholdAll(t, url, [greedy])
    await keeps(memory / 8 / partBody)
    for (const expect of [[], ['Expect: 100-continue']]) {
      const client = open(t, url, request(post, greedy, [`Content-Length: ${partBody}`, ...expect]))
      await until('it is refused', () => client.text.startsWith('HTTP/1.1 429 '))
    }
  },
)

t.test(
  'a large body that fits only without those of other developers is refused with 503 until they leave',
  async (t) => {
    const { url } = await start(t, { callLimits: { uploadBufferMax: memory } })
    const { bodies, keeps } = await withholdAll(t, url, others.slice(0, 12))
    await keeps(memory / partBody)
    const large = () => send(url, testKey, 1_048_576)
    const refused = await large()
    t.equal(code(refused.body), 'OVERLOADED')
    t.equal(refused.headers.get('retry-after'), '1')
    t.equal((await send(url, testKey, 2)).status, 200, 'a small one is served')
    t.equal((await sendRaw(url, request(get, testKey))).status, 200, 'what has no body passes')
    for (const { socket } of bodies) socket.destroy()
    await until('it is served', async () => (await large()).status === 200)
  },
)

t.test(
  'a client that asks before it sends is refused before 100, the others after their body',
  async (t) => {
    const { backend, url } = await start(t, { plan: { limits: [{ ...limit, calls: 1 }] } })
    t.equal(await remaining(url, post, testKey, '{}'), 0)
    const asking = await sendRaw(url, withheld[0]?.(testKey) ?? '')
    t.match(asking.text, /^HTTP\/1\.1 429 /)
    t.match(asking.body, '"code":"QUOTA_EXCEEDED"')
    t.equal(asking.headers.get('x-ratelimit-remaining'), '0')
    const telling = await sendRaw(url, request(post, testKey, ['Content-Length: 2'], '{}'))
    t.equal(telling.status, 429)
    t.equal(backend.requests.length, 1)
  },
)

t.test('an address has as many calls under way as it may, where that is bounded', async (t) => {
  const { backend, url } = await start(t, { callLimits: { callsPerAddress: 1 } })
  backend.answer = () => undefined
  open(t, url, request(get, testKey))
  await until('it is under way', () => backend.requests.length === 1)
  backend.answer = answerOk
  const another = request(get, others[0] ?? '')
  t.match((await sendRaw(url, another)).body, '"code":"CONCURRENCY_EXCEEDED"')
  const neighbour = open(t, url, another, '127.0.0.2')
  await until('a neighbour is served', () => neighbour.text.includes('200 OK'))
})

t.test(
  'a developer has as many calls under way as it may over all its applications; others are served',
  async (t) => {
    const { backend, url } = await start(t, { callLimits: { callsPerDeveloper: 3 } })
    backend.answer = () => undefined
    const clients = siblings.slice(0, 3).map((key) => open(t, url, request(get, key)))
    await until('they are under way', () => backend.requests.length === 3)
    backend.answer = answerOk
    const ofAnother = () => sendRaw(url, request(get, siblings[3] ?? ''))
    const { status, body } = await ofAnother()
    t.equal(status, 429)
    t.equal(code(body), 'CONCURRENCY_EXCEEDED')
    t.match(body, 'The developer has 3 calls under way already.')
    t.equal((await sendRaw(url, request(get, testKey))).status, 200)
    const [first] = clients
    if (first !== undefined) resetConnection(first.socket)
    await until('one has ended', async () => (await ofAnother()).status === 200)
  },
)
