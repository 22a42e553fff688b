import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import t from 'tap'
import type { Grant } from '../../src/gateway/counters/counter.ts'
import {
  type CounterObserver,
  noObserver,
} from '../../src/gateway/counters/redis/counter-observer.ts'
import { processesKey } from '../../src/gateway/counters/redis/heartbeat.ts'
import { testCounter, testPair } from '../../test/counters/redis-rig.ts'
import { admittedOf, ask, askTimes, bucketOf } from '../../test/counters/rig.ts'
import { redisMissing, startRedisServer, testRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'

const skip = redisMissing()

/** Where the wait for a silent store is not what the test is about, or is its measure. */
const impatient = { deadlineMs: 50 }

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

function decisionsOf(grants: readonly Grant[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { decision } of grants) counts[decision] = (counts[decision] ?? 0) + 1
  return counts
}

t.test(
  'without the store every process admits its share of what it saw left, and says so',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, { processes: 4 })
    t.equal(counter.isUp(), true)
    const known = [{ ...bucketOf('known'), calls: 100 }]
    await askTimes(20, counter, known)
    await server.kill()
    await until('the counter is away from Redis', () => !counter.isUp())

    t.same(decisionsOf(await askTimes(30, counter, known)), {
      degraded_admitted: 20,
      degraded_refused: 10,
    })
    const askedAt = Date.now()
    const never = await askTimes(30, counter, [{ ...bucketOf('never'), calls: 100 }])
    const answeredAt = Date.now()
    t.same(decisionsOf(never), { degraded_admitted: 25, degraded_refused: 5 })
    t.match(never[0], { standings: [{ granted: true, remaining: 24, resetMs: undefined }] })
    t.match(never[29], {
      admitted: false,
      standings: [{ granted: false, remaining: 0, resetMs: undefined }],
    })
    const year = bucketOf('never').windowLength * 1000
    const retryAfterMs = never[29]?.retryAfterMs ?? 0
    t.ok(retryAfterMs >= year - (answeredAt % year), 'by the time of the store')
    t.ok(retryAfterMs < year - (askedAt % year) + 1000, 'less than a second too long')
  },
)

t.test(
  'a process with a wrong clock knows the time of the store before its first call, for an outage',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, { now: () => Date.now() + 90_000_000 })
    await server.kill()
    await until('the counter is away from Redis', () => !counter.isUp())
    const hour = 3600
    const before = Math.floor(Date.now() / 1000 / hour)
    const { standings } = await ask(counter, [{ ...bucketOf('early', hour), calls: 100 }])
    const after = Math.floor(Date.now() / 1000 / hour)
    t.ok([before, after].includes(standings[0]?.window ?? 0), `window ${standings[0]?.window}`)
  },
)

t.test('deny refuses, and allow admits, every call the store cannot count', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  await server.kill()
  await until('the counter is away from Redis', () => !counter.isUp())
  const limits = [{ ...bucketOf('policy'), calls: 3 }]
  const denied = await askTimes(5, counter, limits, 'deny')
  t.same(decisionsOf(denied), { degraded_refused: 5 })
  t.equal(denied[0]?.retryAfterMs, 1000)
  t.same(decisionsOf(await askTimes(5, counter, limits, 'allow')), { degraded_admitted: 5 })
  await server.restart()
  await until('the counter counts in Redis', () => counter.isUp())
  t.match(await counter.peek(limits), [{ count: 5 }], 'what was allowed is counted')
})

t.test(
  'a bucket known to be used up stays refused without the store, with its true reset',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server)
    const limits = [{ ...bucketOf('spent'), calls: 5 }]
    await askTimes(5, counter, limits)
    await server.kill()
    await until('the counter is away from Redis', () => !counter.isUp())
    for (const policy of ['local-share', 'allow', 'deny'] as const) {
      const grant = await ask(counter, limits, policy)
      t.match(grant, { decision: 'refused_local', standings: [{ remaining: 0 }] })
      t.equal(grant.retryAfterMs, grant.standings[0]?.resetMs)
    }
  },
)

t.test('two limits in an outage: all shares or none', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  await server.kill()
  await until('the counter is away from Redis', () => !counter.isUp())
  const small = { ...bucketOf('outage:small'), calls: 2 }
  const large = { ...bucketOf('outage:large'), calls: 5 }
  t.equal(admittedOf(await askTimes(4, counter, [large, small])), 2)
  t.equal(admittedOf(await askTimes(9, counter, [large])), 3)
})

t.test(
  'counts from before and during an outage are merged when the store is back',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, { processes: 2 })
    const limits = [{ ...bucketOf('merged'), calls: 100 }]
    await askTimes(40, counter, limits)
    await server.kill()
    await until('the counter is away from Redis', () => !counter.isUp())
    t.equal(admittedOf(await askTimes(50, counter, limits)), 30)
    await server.restart()
    await until('the counter counts in Redis', () => counter.isUp())
    t.match(await counter.peek(limits), [{ count: 70 }])
    t.equal(admittedOf(await askTimes(50, counter, limits)), 30)
  },
)

t.test(
  'a gateway starts while the store is down, and shares counts within a second of its coming',
  { skip },
  async (t) => {
    const first = await startRedisServer()
    await first.stop()
    const counter = await testCounter(t, first, { processes: 2 })
    t.equal(counter.isUp(), false)
    await t.rejects(counter.peek([bucketOf('early')]), { code: 'STORE_UNAVAILABLE' })
    await t.rejects(counter.reset(bucketOf('early')), { code: 'STORE_UNAVAILABLE' })
    const limits = [{ ...bucketOf('early'), calls: 10 }]
    t.equal(admittedOf(await askTimes(9, counter, limits)), 5)
    await testRedis(t, { port: first.port })
    await until('the counter counts in Redis', () => counter.isUp())
    t.match(await counter.peek(limits), [{ count: 5 }])
    t.equal(admittedOf(await askTimes(9, counter, limits)), 5)
  },
)

t.test(
  'a silent store costs each call at most its deadline, and after as long a silence nothing',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, impatient)
    const limits = [{ ...bucketOf('hung'), calls: 1000 }]
    await ask(counter, limits)
    server.suspend()
    const begun = performance.now()
    const grants: Grant[] = []
    counter.grant(limits, 'local-share', (grant) => void grants.push(grant))
    await until('a call is granted', () => grants.length > 0)
    t.equal(grants[0]?.decision, 'degraded_admitted')
    const waited = performance.now() - begun
    t.ok(waited >= 45, `${waited} ms`)
    await until('the counter is away from Redis', () => !counter.isUp())
    // A busy machine makes some attempts slow; the deadline would make each of them.
    const tookMs: number[] = []
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const again = performance.now()
      await askTimes(100, counter, limits)
      tookMs.push(performance.now() - again)
    }
    t.ok(Math.min(...tookMs) < 40, `${tookMs} ms`)
    server.resume()
    await until('the counter counts in Redis', () => counter.isUp())
  },
)

t.test(
  'hiccups of Redis of up to 150 ms cost no bucket its exact count, and no process leaves',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    let forfeited = 0
    let left = 0
    const observer: CounterObserver = {
      ...noObserver,
      forfeited(calls) {
        forfeited += calls
      },
      switched(to) {
        if (to === 'local') left += 1
      },
    }
    const counters = await Promise.all(
      [1, 2, 3, 4].map(() => testCounter(t, server, { processes: 4, observer })),
    )
    for (const hiccup of [40, 60, 100, 150]) {
      const limits = [{ ...bucketOf(`hiccup:${hiccup}`), calls: 100 }]
      const slept = server.cli('DEBUG', 'SLEEP', String(hiccup / 1000))
      const grants: Promise<Grant>[] = []
      for (let round = 0; round < 60; round += 1) {
        for (const counter of counters) grants.push(ask(counter, limits))
        await delay(5)
      }
      await slept
      t.equal(admittedOf(await Promise.all(grants)), 100, `${hiccup} ms`)
    }
    t.same({ forfeited, left }, { forfeited: 0, left: 0 })
  },
)

t.test('an idle gateway notices within a second that the store is gone', { skip }, async (t) => {
  const server = await testRedis(t)
  const counter = await testCounter(t, server)
  server.suspend()
  await until('the counter is away from Redis', () => !counter.isUp())
})

t.test(
  '(6) replies that were there while our own loop stood still are no outage',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server)
    const limits = [{ ...bucketOf('stalled'), calls: 1000 }]
    await ask(counter, limits)
    for (let round = 0; round < 5; round += 1) {
      const pending = askTimes(10, counter, limits)
      await new Promise(setImmediate) // sent
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60 + round * 40)
      t.same(decisionsOf(await pending), { admitted: 10 })
      t.equal(counter.isUp(), true)
    }
  },
)

t.test(
  '(7) calls pending in a pause are decided in time, and never exceed the limit though they were granted too',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, impatient)
    const limits = [{ ...bucketOf('paused'), calls: 100 }]
    await ask(counter, limits)
    await server.cli('CLIENT', 'PAUSE', '2000', 'ALL')
    // After the pause they would be decided by the store.
    const pending = await askTimes(64, counter, limits)
    t.same(decisionsOf(pending), { degraded_admitted: 64 })
    await until('the counter is away from Redis', () => !counter.isUp())
    await until('the counter counts in Redis', () => counter.isUp())
    const later = await askTimes(100, counter, limits)
    const total = 1 + admittedOf(pending) + admittedOf(later)
    t.ok(total <= 100, `${total} admitted`)
    const [state] = await counter.peek(limits)
    t.ok(state !== undefined && state.count >= total)
  },
)

t.test(
  '(9) however often the store flaps in a window, the share is given once',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, { processes: 4, ...impatient })
    const limits = [{ ...bucketOf('flapping'), calls: 100 }]
    const grants: Grant[] = []
    for (let flap = 0; flap < 10; flap += 1) {
      server.suspend()
      await ask(counter, [{ ...bucketOf('other'), calls: 100 }])
      await until('the counter is away from Redis', () => !counter.isUp())
      grants.push(...(await askTimes(7, counter, limits)))
      server.resume()
      await until('the counter counts in Redis', () => counter.isUp())
    }
    t.same(decisionsOf(grants), { degraded_admitted: 25, degraded_refused: 45 })
    t.match(await counter.peek(limits), [{ count: 25 }])
  },
)

t.test('(9) a share shrinks to what is left when the store comes and goes', { skip }, async (t) => {
  const server = await testRedis(t)
  const [counter, other] = await Promise.all([
    testCounter(t, server, { processes: 4 }),
    testCounter(t, server, { processes: 4 }),
  ])
  const limits = [{ ...bucketOf('shrinking'), calls: 100 }]
  async function outage(calls: number): Promise<number> {
    server.suspend()
    await until('both are away from Redis', () => !counter.isUp() && !other.isUp())
    const admitted = admittedOf(await askTimes(calls, counter, limits))
    server.resume()
    await until('both count in Redis', () => counter.isUp() && other.isUp())
    return admitted
  }
  t.equal(await outage(5), 5)
  t.equal(admittedOf(await askTimes(83, other, limits)), 83)
  await ask(counter, limits) // sees 89 now, 11 left, so 2 of them may be admitted here
  t.equal(await outage(20), 2)
  t.equal(admittedOf(await askTimes(50, other, limits)), 9)
})

t.test(
  '(12) with 10,000 buckets touched while away, counts are shared within a second of processor time, all of them merged',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server)
    server.suspend()
    await until('the counter is away from Redis', () => !counter.isUp())
    const buckets = Array.from({ length: 10_000 }, (_, index) => bucketOf(`many:${index}`))
    for (const bucket of buckets) await ask(counter, [{ ...bucket, calls: 10 }])
    server.resume()
    const used = process.threadCpuUsage()
    await until('the counter counts in Redis', () => counter.isUp())
    const { user, system } = process.threadCpuUsage(used)
    t.ok(user + system < 1_000_000, `${(user + system) / 1000} ms of the processor`)
    const counts = await counter.peek(buckets)
    t.ok(counts.every(({ count }) => count === 1))
  },
)

t.test(
  '(13) a reply after the deadline decides nothing twice, and is not lost as knowledge',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const counter = await testCounter(t, server, impatient)
    const limits = [{ ...bucketOf('late'), calls: 3 }]
    await ask(counter, limits)
    let decisions = 0
    await server.cli('CLIENT', 'PAUSE', '80', 'ALL')
    await new Promise<void>((resolve) => {
      counter.grant(limits, 'local-share', () => {
        decisions += 1
        resolve()
      })
    })
    await delay(100)
    t.equal(decisions, 1)
    await until('the counter counts in Redis', () => counter.isUp())
    // Forfeited there, admitted here: 1 + 1 + 1.
    await ask(counter, limits)
    t.match(await ask(counter, limits), { decision: 'refused_local' })
    t.match(await counter.peek(limits), [{ count: 3 }])
  },
)

t.test('(8) shares of processes that come late keep the sum within 175', { skip }, async (t) => {
  const server = await testRedis(t)
  const start = () => testCounter(t, server, { processes: 8 })
  const limits = [{ ...bucketOf('late-comers'), calls: 100 }]
  let admitted = 0
  const counters = await Promise.all([start(), start(), start(), start()])
  for (const counter of counters) admitted += admittedOf(await askTimes(25, counter, limits))
  counters.push(...(await Promise.all([start(), start(), start(), start()])))
  t.equal(admitted, 100)
  await server.kill()
  await until('all are away from Redis', () => counters.every((counter) => !counter.isUp()))
  for (const counter of counters) admitted += admittedOf(await askTimes(50, counter, limits))
  // Seen 25, 50, 75, 100 and four times nothing: 9 + 6 + 3 + 0 + 4 · 12 more.
  t.equal(admitted, 166)
})

t.test(
  '(8) more processes than the settings say are seen, and divide what is left among as many',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const warnings: unknown[] = []
    const seen = new Map<object, number>()
    function start() {
      const observer: CounterObserver = {
        ...noObserver,
        processes: (now) => void seen.set(observer, now),
      }
      const log = { ...quiet, warn: (what: unknown) => warnings.push(what) }
      return testCounter(t, server, { processes: 4, isAdmitting: true, log, observer })
    }
    const limits = [{ ...bucketOf('more'), calls: 100 }]
    let admitted = 0
    const counters = await Promise.all([start(), start(), start(), start()])
    for (const counter of counters) admitted += admittedOf(await askTimes(25, counter, limits))
    counters.push(...(await Promise.all([start(), start(), start(), start()])))
    t.equal(admitted, 100)
    await until(
      'each of the eight sees eight',
      () => [...seen.values()].filter((now) => now === 8).length === 8,
    )
    t.ok(warnings.length >= 8, 'every process says so')
    t.match(warnings.at(-1), { seen: 8, configured: 4 })
    await server.kill()
    await until('all are away from Redis', () => counters.every((counter) => !counter.isUp()))
    for (const counter of counters) admitted += admittedOf(await askTimes(50, counter, limits))
    // 166 as above, and what does not divide by eight: the remainders are 3, 2, 1, 0 and 4.
    t.ok(admitted >= 166 && admitted <= 170, `${admitted} admitted`)
  },
)

t.test(
  '(8) in an outage, more processes than calls that are left admit just those, not none',
  { skip },
  async (t) => {
    const size = 150
    const server = await testRedis(t)
    const beats = new Map<object, number>()
    function start() {
      const observer: CounterObserver = {
        ...noObserver,
        processes: (now) => {
          beats.set(observer, now === size ? (beats.get(observer) ?? 0) + 1 : 0)
        },
      }
      return testCounter(t, server, { processes: size, isAdmitting: true, observer })
    }
    const counters = await Promise.all(Array.from({ length: size }, start))
    const limits = [{ ...bucketOf('left-over'), calls: 100 }]
    // Each has seen all others, more than once.
    await until(
      'each has had six beats',
      () => [...beats.values()].filter((seen) => seen >= 6).length === size,
    )
    await server.kill()
    await until('all are away from Redis', () => counters.every((counter) => !counter.isUp()))
    const admitted = counters.map(() => 0)
    async function askAll(): Promise<number> {
      for (const [index, counter] of counters.entries()) {
        admitted[index] = (admitted[index] ?? 0) + admittedOf(await askTimes(1, counter, limits))
      }
      return admitted.reduce((sum, one) => sum + one, 0)
    }
    // No process knows of an outage before a heartbeat has failed.
    await until('the limit is used up', async () => (await askAll()) >= 100)
    t.equal(await askAll(), 100)
    t.equal(Math.max(...admitted), 1)
  },
)

t.test(
  'processes that end, or are silent for five seconds, are not reckoned with any longer',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const seen: number[] = []
    const start = (processes: (now: number) => void) =>
      testCounter(t, server, { isAdmitting: true, observer: { ...noObserver, processes } })
    await start((now) => void seen.push(now))
    const other = await start(() => undefined)
    await until('two processes are seen', () => seen.at(-1) === 2)
    await other.close()
    await until('one process is seen', () => seen.at(-1) === 1)
    await server.cli('ZADD', processesKey, String(Date.now() - 6000), 'killed')
    t.equal(await server.cli('ZCARD', processesKey), '2')
    const before = seen.length
    await until('processes are seen again', () => seen.length > before)
    t.equal(seen.at(-1), 1)
    t.ok(Number(await server.cli('PTTL', processesKey)) > 3000)
  },
)

t.test('a server that does not answer INFO is still used', { skip }, async (t) => {
  const server = await testRedis(t)
  await server.cli('ACL', 'SETUSER', 'default', '-info')
  t.equal((await testCounter(t, server)).isUp(), true)
})

t.test('no log line holds the password, right or wrong', { skip }, async (t) => {
  const right = 'planted-right-secret'
  const wrong = 'planted-wrong-secret'
  const server = await testRedis(t, { args: ['--requirepass', right] })
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const refused = await testCounter(t, { url: server.url.replace('//', `//:${wrong}@`) }, { log })
  t.equal(refused.isUp(), false)
  const counter = await testCounter(t, { url: server.url.replace('//', `//:${right}@`) }, { log })
  t.equal(counter.isUp(), true)
  await server.kill()
  await until('the counter is away from Redis', () => !counter.isUp())
  await counter.peek([bucketOf('secret')]).catch((err: unknown) => log.error({ err }))
  t.match(lines.join(''), /WRONGPASS/)
  t.notMatch(lines.join(''), /planted/)
})

const states = [
  { state: 'READONLY', enter: ['REPLICAOF', '127.0.0.1', '1'], leave: ['REPLICAOF', 'NO', 'ONE'] },
  {
    state: 'OOM',
    enter: ['CONFIG', 'SET', 'maxmemory', '1'],
    leave: ['CONFIG', 'SET', 'maxmemory', '0'],
  },
  {
    state: 'no permission',
    enter: ['ACL', 'SETUSER', 'default', '-set'],
    leave: ['ACL', 'SETUSER', 'default', '+@all'],
  },
]

for (const { state, enter, leave } of states) {
  t.test(
    `a store that answers ${state} is an outage, and its end is noticed`,
    { skip },
    async (t) => {
      const server = await testRedis(t)
      const counter = await testCounter(t, server, { processes: 2 })
      const limits = [{ ...bucketOf('state'), calls: 100 }]
      await askTimes(10, counter, limits)
      await server.cli(...enter)
      const grants: Grant[] = []
      for (let call = 0; call < 10; call += 1) grants.push(await ask(counter, limits))
      t.same(decisionsOf(grants), { degraded_admitted: 10 })
      t.equal(counter.isUp(), false)
      await delay(600)
      t.equal(counter.isUp(), false, 'for ever')
      await server.cli(...leave)
      await until('the counter counts in Redis', () => counter.isUp())
      t.match(await counter.peek(limits), [{ count: 20 }])
    },
  )
}

// The tests below mostly wait, each with a Redis of its own.
t.jobs = 4

t.test(
  '(2) after a flush a fresh process is not granted what another one used up',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const settling = { processes: 2, settleMs: 1000 }
    const a = await testCounter(t, server, settling)
    const limits = [{ ...bucketOf('wiped'), calls: 100 }]
    t.equal(admittedOf(await askTimes(101, a, limits)), 100)
    await server.cli('FLUSHALL')
    // A has no traffic and notices by itself; C comes only now.
    const c = await testCounter(t, server, settling)
    t.equal(c.isUp(), true)
    t.same(decisionsOf(await askTimes(100, c, limits)), { refused: 100 })
    await until('it counts in Redis', () => a.isUp())
    t.match(await a.peek(limits), [{ count: 100 }])
  },
)

t.test(
  '(2) after a flush a running process that never saw the bucket gets no more than its share',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const settling = { processes: 4, settleMs: 1000 }
    const [a, c] = await testPair(t, server, settling)
    const limits = [{ ...bucketOf('wiped'), calls: 100 }]
    t.equal(admittedOf(await askTimes(101, a, limits)), 100)
    await server.cli('FLUSHALL')
    t.same(decisionsOf(await askTimes(100, c, limits)), {
      degraded_admitted: 25,
      degraded_refused: 75,
    })
    await until('both count in Redis', () => a.isUp() && c.isUp())
    t.match(await c.peek(limits), [{ count: 125 }])
    t.equal(admittedOf(await askTimes(100, c, limits)), 0)
  },
)

t.test('(2) counts climb back after Redis was killed and came back empty', { skip }, async (t) => {
  const server = await testRedis(t)
  const settling = { processes: 2, settleMs: 1000 }
  const [a, c] = await Promise.all([
    testCounter(t, server, settling),
    testCounter(t, server, settling),
  ])
  const limits = [{ ...bucketOf('restarted'), calls: 100 }]
  await askTimes(60, a, limits)
  await askTimes(30, c, limits)
  await server.kill()
  await server.restart()
  await until('both count in Redis', () => a.isUp() && c.isUp())
  const [state] = await a.peek(limits)
  t.equal(state?.count, 90, 'the highest count that any process saw')
  t.equal(admittedOf(await askTimes(50, a, limits)), 10)
})

t.test(
  '(2) after a restart that lost the last second of a persisted store, it is not granted again',
  { skip },
  async (t) => {
    const server = await testRedis(t, { args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
    const settling = { processes: 2, settleMs: 1000 }
    const [a, c] = await testPair(t, server, settling)
    const bucket = bucketOf('persisted')
    const limits = [{ ...bucket, calls: 100 }]
    await askTimes(60, a, limits)
    // What appendfsync everysec may lose: the server comes back with an older count, and with its marker.
    const stored = await server.cli('GET', bucket.bucket)
    await server.cli('SET', bucket.bucket, stored.replace(/60$/, '35'))
    await server.kill()
    await server.restart()
    await until('both count in Redis', () => a.isUp() && c.isUp())
    t.match(await c.peek(limits), [{ count: 60 }])
    t.equal(admittedOf(await askTimes(100, c, limits)), 40)
  },
)

t.test('a Redis that turns out unsuitable later is not used, and said so', { skip }, async (t) => {
  const first = await startRedisServer()
  await first.stop()
  const errors: unknown[] = []
  const counter = await testCounter(t, first, {
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (what: unknown) => errors.push(what),
    },
  })
  await testRedis(t, { port: first.port, args: ['--maxmemory-policy', 'allkeys-lru'] })
  await until('an error is reported', () => errors.length > 0)
  t.match(errors, [{ reason: /allkeys-lru.*REDIS_EVICTION_ALLOWED/ }])
  t.equal(counter.isUp(), false)
})
