import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { Redis } from 'ioredis'
import t from 'tap'
import type { Grant } from '../../src/gateway/counters/counter.ts'
import {
  type AskedBucket,
  grantCommand,
  grantScript,
  markerOf,
  onlyPlace,
  readGrantReply,
  readNumbers,
} from '../../src/gateway/counters/redis/grant-script.ts'
import { checkRedis } from '../../src/gateway/counters/redis/redis-facts.ts'
import { windowAt } from '../../src/gateway/counters/window.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { startProcess } from './processes.ts'
import { testCounter as makeCounter } from './redis-rig.ts'
import {
  admittedOf,
  ask,
  askTimes,
  bucketOf,
  countdown,
  longWindowSeconds,
  patientMs,
  remainingOf,
  silent,
} from './rig.ts'
import { movedClocks } from './shifted-clock.ts'

const skip = redisMissing()

/** None of these tests is about an outage. */
const testCounter: typeof makeCounter = (t, server, options) =>
  makeCounter(t, server, { deadlineMs: patientMs, ...options })

t.test('a process that knows a bucket is used up asks Redis nothing', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  const limits = [{ ...bucketOf('empty'), calls: 100 }]
  await askTimes(150, counter, limits)
  const asked = await server.askedAbout('empty', async () => {
    const grants = await askTimes(10_000, counter, limits)
    t.ok(grants.every(({ decision }) => decision === 'refused_local'))
  })
  t.equal(asked, 0)
})

t.test('calls of one turn cost one script call, over all buckets', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  const asked = await server.askedAbout('merged', async () => {
    const grants = await Promise.all(
      Array.from({ length: 300 }, (_, call) =>
        ask(counter, [{ ...bucketOf(`merged:${call % 30}`), calls: 5 }]),
      ),
    )
    t.equal(admittedOf(grants), 150)
  })
  t.equal(asked, 1)
})

t.test('a new window is asked about, and nothing of the old one refuses', { skip }, async (t) => {
  const server = await testRedis(t)
  const begin = Date.UTC(2026, 10, 20, 10)
  const { monotonic, setTime } = movedClocks(t, begin)
  const counter = await testCounter(t, server, { monotonic })
  const limits = [{ ...bucketOf('next', 3600), calls: 3 }]
  for (let window = 0; window < 3; window += 1) {
    setTime(begin + window * 3_600_000 + 60_000)
    t.same(remainingOf(await askTimes(5, counter, limits)), countdown(2))
  }
})

t.test('(1) processes on different window lengths keep their counts apart', { skip }, async (t) => {
  const server = await testRedis(t)
  const [old, reloaded] = await Promise.all([testCounter(t, server), testCounter(t, server)])
  const hour = [{ ...bucketOf('reloaded', 3600 * 24 * 300), calls: 30 }]
  const day = [{ ...bucketOf('reloaded', 3600 * 24 * 365), calls: 40 }]
  const grants: Grant[][] = [[], []]
  for (let call = 0; call < 50; call += 1) {
    grants[0]?.push(await ask(old, hour))
    grants[1]?.push(await ask(reloaded, day))
  }
  t.same(grants.map(admittedOf), [30, 40])
  t.match(await old.peek([...hour, ...day]), [{ count: 30 }, { count: 40 }])
})

t.test(
  '(4) after a reset, the floor of another process does not bring 87 back',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const [a, b] = await Promise.all([testCounter(t, server), testCounter(t, server)])
    const bucket = bucketOf('floor')
    const limits = [{ ...bucket, calls: 100 }]
    await askTimes(87, b, limits)
    await a.reset(bucket)
    t.match(await ask(b, limits), { admitted: true, standings: [{ remaining: 99 }] })
    t.equal(admittedOf(await askTimes(150, a, limits)), 99)
  },
)

t.test('(4) after forget, a process that refused locally asks again', { skip }, async (t) => {
  const server = await testRedis(t)
  const [a, b] = await Promise.all([testCounter(t, server), testCounter(t, server)])
  const bucket = bucketOf('forgotten')
  const limits = [{ ...bucket, calls: 10 }]
  await askTimes(12, b, limits)
  await a.reset(bucket)
  t.match(await ask(b, limits), { decision: 'refused_local' })
  b.forget(bucket.bucket)
  t.match(await ask(b, limits), { admitted: true, standings: [{ remaining: 9 }] })
})

t.test('(4) a reply from before the reset does not undo forget', { skip }, async (t) => {
  const server = await testRedis(t)
  const b = await testCounter(t, server)
  const bucket = bucketOf('overtaken')
  const limits = [{ ...bucket, calls: 10 }]
  const early = askTimes(12, b, limits)
  await new Promise(setImmediate) // sent, not answered
  b.forget(bucket.bucket)
  t.equal(admittedOf(await early), 10)
  await server.cli('DEL', bucket.bucket)
  t.match(await ask(b, limits), { decision: 'admitted', standings: [{ remaining: 9 }] })
})

t.test(
  '(4) after forget, what a process has seen since the reset still restores a lost count',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const [a, b] = await Promise.all([testCounter(t, server), testCounter(t, server)])
    const bucket = bucketOf('told late')
    const limits = [{ ...bucket, calls: 10 }]
    await askTimes(12, b, limits)
    const epoch = await a.reset(bucket)
    b.forget(bucket.bucket, epoch)
    t.match(await ask(b, limits), { admitted: true, standings: [{ remaining: 9 }] })
    const late = ask(b, limits)
    await new Promise(setImmediate) // sent, not answered
    b.forget(bucket.bucket, epoch)
    t.match(await late, { standings: [{ remaining: 8 }] })
    await server.cli('DEL', bucket.bucket)
    t.match(await ask(b, limits), { admitted: true, standings: [{ remaining: 7 }] })
  },
)

t.test('(3) a window that was seen is never left backwards, nor its count', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  const bucket = bucketOf('ahead')
  const windowMs = longWindowSeconds * 1000
  const ahead = Math.floor(Date.now() / windowMs) + 1
  // A primary whose clock was ahead has counted 98 in the next window, and fails over to one that knows nothing.
  await server.cli('SET', bucket.bucket, `${ahead} 0 98`)
  t.match(await ask(counter, [{ ...bucket, calls: 100 }]), { standings: [{ remaining: 1 }] })
  await server.cli('DEL', bucket.bucket)
  const grants = await askTimes(3, counter, [{ ...bucket, calls: 100 }])
  t.same(remainingOf(grants), [0])
  t.match(await server.cli('GET', bucket.bucket), new RegExp(`^${ahead} 0 100$`))
  const resetMs = grants.at(-1)?.retryAfterMs ?? 0
  t.ok(resetMs > windowMs && resetMs <= 2 * windowMs, `${resetMs}`)
  await counter.reset(bucket)
  t.match(await ask(counter, [{ ...bucket, calls: 100 }]), { standings: [{ remaining: 99 }] })
  t.match(await server.cli('GET', bucket.bucket), new RegExp(`^${ahead - 1} \\d{13} 1$`))
})

t.test(
  'while counters settle after a loss nothing is granted and nothing added, but floors are taken',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const client = new Redis(server.url)
    t.teardown(() => client.disconnect())
    const bucket = bucketOf('settling')
    async function run(settleMs: number, claim: Partial<AskedBucket>) {
      const groups = [{ asked: 5, limits: [{ index: 0, calls: 100 }] }]
      const { keys, args } = grantCommand({
        buckets: [{ ...bucket, ...claim }],
        groups,
        marker: { key: onlyPlace.key, settleMs },
      })
      const words = await client.eval(grantScript.text, keys.length, ...keys, ...args(Date.now()))
      const reply = readGrantReply(readNumbers(String(words)), [bucket])
      return { isSettling: reply.isSettling, granted: reply.nextGroup(), count: reply.countOf(0) }
    }
    const { id: window } = windowAt(Date.now(), bucket.windowLength)
    const addition = { ...bucket, window, count: 10 }
    const floor = { window, epoch: 0, count: 60 }
    t.same(await run(60_000, { addition }), { isSettling: true, granted: 0, count: 0 })
    t.same(await run(60_000, { floor }), { isSettling: true, granted: 0, count: 60 })
    t.same(await run(0, { addition }), { isSettling: false, granted: 5, count: 75 })
  },
)

t.test(
  'one run of a server is distinguished from another, whatever its name',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const client = new Redis(server.url)
    t.teardown(() => client.disconnect())
    async function markerAt(runId: string): Promise<number> {
      const { keys, args } = grantCommand({
        buckets: [],
        groups: [],
        marker: { key: onlyPlace.key, settleMs: 0, knowledge: { runId, living: [] } },
      })
      const words = await client.eval(grantScript.text, keys.length, ...keys, ...args(Date.now()))
      return readGrantReply(readNumbers(String(words)), []).marker
    }
    const first = await markerAt('redis_a-1:6379')
    t.equal(await markerAt('redis_a-1:6379'), first)
    t.not(await markerAt('redis_a1:6379'), first)
    t.equal(markerOf(await server.cli('GET', onlyPlace.key)), await markerAt('redis_a1:6379'))
  },
)

t.test(
  'of numbers only another hand can have written, none gives calls anew',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const [first, second] = [await testCounter(t, server), await testCounter(t, server)]
    const huge = '9'.repeat(20)
    const { id: window } = windowAt(Date.now(), longWindowSeconds)
    for (const stored of [`${window} ${huge} 3`, `${window + 1_000} 0 3`, `${window} 0 ${huge}`]) {
      const bucket = { bucket: `tollgate:{${stored}}`, windowLength: longWindowSeconds }
      await server.cli('SET', bucket.bucket, stored)
      let admitted = 0
      for (let call = 0; call < 8; call += 1) {
        const grant = await ask(call % 2 === 0 ? first : second, [{ ...bucket, calls: 6 }])
        if (grant.admitted) admitted += 1
      }
      t.equal(admitted, stored.endsWith(huge) ? 0 : 3, stored)
      await first.reset(bucket)
      const third = await testCounter(t, server)
      t.equal(admittedOf(await askTimes(8, third, [{ ...bucket, calls: 6 }])), 6, 'after a reset')
    }
  },
)

t.test(
  'a window that ends after the year 9999 is replaced like any other malformed value',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const warnings: unknown[] = []
    const log = { ...silent, warn: (what: unknown) => warnings.push(what) }
    for (const windowLength of [longWindowSeconds, 'P1D@Asia/Jerusalem', 'P1M@UTC'] as const) {
      const bucket = { bucket: `tollgate:{${windowLength}}`, windowLength }
      const counter = await testCounter(t, server, { log })
      for (const stored of ['99999999999999 5 3', `${'9'.repeat(30)} 0 3`]) {
        await server.cli('SET', bucket.bucket, stored)
        const grants = await askTimes(7, counter, [{ ...bucket, calls: 6 }])
        t.equal(admittedOf(grants), 6, stored)
        const now = Date.now()
        const { endsAt } = windowAt(now, windowLength)
        const retryAfterMs = grants.at(-1)?.retryAfterMs ?? 0
        t.ok(retryAfterMs > 0 && retryAfterMs <= endsAt - now + 60_000, `${retryAfterMs}`)
        await counter.reset(bucket)
      }
    }
    t.equal(warnings.length, 6)
  },
)

t.test('(13) SCRIPT FLUSH between every call goes unnoticed', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  const limits = [{ ...bucketOf('flushed'), calls: 20 }]
  const grants: Grant[] = []
  for (let call = 0; call < 25; call += 1) {
    await server.cli('SCRIPT', 'FLUSH')
    grants.push(await ask(counter, limits))
  }
  t.same(
    grants.map(({ decision }) => decision),
    [...Array(20).fill('admitted'), ...Array(5).fill('refused_local')],
  )
})

t.test(
  '(10) one key of another type among 50 is replaced, from the floor, and affects no other key',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const warnings: unknown[] = []
    const log = { ...silent, info: () => undefined, warn: (what: unknown) => warnings.push(what) }
    const counter = await testCounter(t, server, { log: { ...log, error: () => undefined } })
    const buckets = Array.from({ length: 50 }, (_, index) => bucketOf(`typed:${index}`))
    const askAll = () =>
      Promise.all(buckets.map((bucket) => ask(counter, [{ ...bucket, calls: 100 }])))
    await askAll()
    const damaged = buckets[25]?.bucket ?? ''
    await server.cli('DEL', damaged)
    await server.cli('LPUSH', damaged, 'x')
    t.ok((await askAll()).every(({ decision }) => decision === 'admitted'))
    t.same(new Set((await counter.peek(buckets)).map(({ count }) => count)), new Set([2]))
    await server.cli('SET', damaged, 'nonsense')
    t.ok((await askAll()).every(({ decision }) => decision === 'admitted'))
    t.match(
      await counter.peek([{ bucket: damaged, windowLength: buckets[25]?.windowLength ?? 1 }]),
      [{ count: 3 }],
    )
    t.match(warnings, [{ bucket: damaged }, { bucket: damaged }])
    t.equal(warnings.length, 2)
    t.equal(counter.isUp(), true)
  },
)

t.test(
  'a counter expires after two windows, even one that lost its expiry',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server)
    const bucket = bucketOf('expiring', 3600)
    await ask(counter, [{ ...bucket, calls: 10 }])
    await server.cli('PERSIST', bucket.bucket)
    const secondsOf = async () => Number((await server.cli('TIME')).split('\n')[0])
    const begun = await secondsOf()
    await ask(counter, [{ ...bucket, calls: 10 }])
    const ended = await secondsOf()
    const expiry = Number(await server.cli('EXPIRETIME', bucket.bucket))
    t.ok(expiry >= begun + 7200 && expiry <= ended + 7201, `${expiry} after ${begun} to ${ended}`)
  },
)

t.test(
  '(15) of a process killed with calls granted, the count stays and nothing hangs',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const { url } = server
    const limits = [{ ...bucketOf('orphan'), calls: 100 }]
    const { child } = await startProcess(t, { url, processes: 2 })
    const survivor = await testCounter(t, server, { processes: 2 })
    child.send({ limits, times: 30 })
    await until('all are counted', async () => {
      const [counted] = await survivor.peek(limits)
      return counted?.count === 30
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    t.equal(admittedOf(await askTimes(100, survivor, limits)), 70)
  },
)

/** A log that keeps what it is given of warnings and errors. */
function warnings() {
  const lines: unknown[] = []
  const keep = (...line: unknown[]) => void lines.push(line)
  return { lines, log: { ...silent, warn: keep, error: keep } as typeof silent }
}

t.test(
  'a Redis that may evict counters is refused at start, unless that is accepted',
  { skip },
  async (t) => {
    const server = await testRedis(t, { args: ['--maxmemory-policy', 'allkeys-lru'] })
    await t.rejects(testCounter(t, server), {
      code: 'REDIS_UNSUITABLE',
      message: /allkeys-lru.*CONFIG SET maxmemory-policy noeviction.*REDIS_EVICTION_ALLOWED/,
    })
    t.equal((await testCounter(t, server, { isEvictionAllowed: true })).isUp(), true)
  },
)

t.test(
  'a counter that refuses its Redis at start does not log that calls are decided locally',
  { skip },
  async (t) => {
    const server = await testRedis(t, { args: ['--maxmemory-policy', 'allkeys-lru'] })
    const { lines, log } = warnings()
    await t.rejects(testCounter(t, server, { log }), { code: 'REDIS_UNSUITABLE' })
    t.strictSame(lines, [])
  },
)

t.test(
  'a Redis that may evict counters since startup is not used, and the log has the reason',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const { lines, log } = warnings()
    const counter = await testCounter(t, server, { log })
    await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    await server.cli('CLIENT', 'KILL', 'TYPE', 'normal')
    await until('the log has the reason', () => /allkeys-lru/.test(JSON.stringify(lines)))
    t.equal(counter.isUp(), false)
    t.match(lines.at(-1), [
      { reason: /allkeys-lru/ },
      'Redis is not used; calls are decided locally',
    ])
  },
)

t.test(
  'a server that does not run scripts as Redis does is refused at start',
  { skip },
  async (t) => {
    const server = await testRedis(t, {
      args: ['--rename-command', 'EVALSHA', '', '--rename-command', 'EVAL', ''],
    })
    await t.rejects(testCounter(t, server), {
      code: 'REDIS_UNSUITABLE',
      message: /does not run scripts as Redis does \(ERR unknown command.*EVALSHA.*Lua 5\.1/i,
    })
  },
)

t.test(
  'the first process on an empty Redis counts there when it has started',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const options = { isAdmitting: true, settleMs: 1000 }
    t.equal((await testCounter(t, server, options)).isUp(), true)
  },
)

t.test(
  'an error of a proxy whose Redis is away is an outage that ends, and no unsuitable server',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    let isAway = true
    const proxy = createServer((client) => {
      const redis = connect(server.port, '127.0.0.1')
      client.on('data', (data: Buffer) => {
        if (isAway && data.includes('evalsha')) client.write('-ERR upstream failure\r\n')
        else redis.write(data)
      })
      redis.pipe(client)
      for (const socket of [client, redis]) {
        socket.on('error', () => undefined)
        socket.on('close', () => [client, redis].forEach((each) => void each.destroy()))
      }
    })
    const port = await listenOnLoopback(proxy)
    t.teardown(() => proxy.close())
    const counter = await testCounter(t, { url: `redis://127.0.0.1:${port}` })
    t.equal(counter.isUp(), false)
    isAway = false
    await until('the counter counts in Redis', () => counter.isUp())
  },
)

t.test(
  'a user of Redis that may not run scripts is refused at start, with what it needs',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    await server.cli('ACL', 'SETUSER', 'app', 'on', '>one', '~*', '&*', '+@all', '-@scripting')
    await t.rejects(testCounter(t, { url: server.url.replace('//', '//app:one@') }), {
      code: 'REDIS_UNSUITABLE',
      message: /NOPERM.*let its user call EVAL and EVALSHA/,
    })
  },
)

t.test(
  'a user of Redis that may not use the keys of the counters starts without sharing them, and the log has the reason',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    await server.cli('ACL', 'SETUSER', 'app', 'on', '>one', '~other:*', '&*', '+@all')
    const { lines, log } = warnings()
    const url = server.url.replace('//', '//app:one@')
    const counter = await testCounter(t, { url }, { log })
    t.equal(counter.isUp(), false)
    t.match(lines, [[{ cause: 'refusing', reason: /NOPERM/ }]])
  },
)

t.test('a Redis older than 6.2 is refused', async (t) => {
  const check = (version: string) =>
    checkRedis(new Map([['redis_version', version]]), {
      isEvictionAllowed: false,
      isCluster: false,
    })
  for (const version of ['5.0.14', '6.0.20', '6.1']) {
    t.throws(() => check(version), { code: 'REDIS_UNSUITABLE', message: /6\.2 or newer/ })
  }
  for (const version of ['6.2.0', '7.0.15', '10.1.0']) t.doesNotThrow(() => check(version))
  t.doesNotThrow(
    () => checkRedis(new Map(), { isEvictionAllowed: false, isCluster: false }),
    'nothing told',
  )
})
