import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { CalendarLength, LimitScope, WindowLength } from '../../src/catalogue/catalogue.ts'
import { bucketName } from '../../src/gateway/counters/bucket.ts'
import type { BucketLimit, Counter, Grant } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { grantCommand, grantScript } from '../../src/gateway/counters/redis/grant-script.ts'
import { windowAt, windowSeconds } from '../../src/gateway/counters/window.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { type RedisServer, redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { testCounter } from './redis-rig.ts'
import { admittedOf, askTimes, countdown, patientMs, remainingOf, silent } from './rig.ts'
import { movedClocks, shiftClock } from './shifted-clock.ts'

const skip = redisMissing()

function limitOf(name: string, windowLength: CalendarLength, calls: number): BucketLimit {
  return { bucket: `tollgate:{app}:xs2a:1.7.0:${name}:${windowLength}`, windowLength, calls }
}

/** Two processes that count together, on a clock of the store that can be set; their own goes along. */
interface Rig {
  readonly processes: readonly [Counter, Counter]
  setTime(timeMs: number): void
}

async function memoryRig(t: Test): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-calendar-'))
  let now = 0
  const counter = await createMemoryCounter({
    journalPath: join(folder, 'counters'),
    now: () => now,
    log: silent,
  })
  t.teardown(async () => {
    await counter.close()
    await rm(folder, { recursive: true })
  })
  return {
    processes: [counter, counter],
    setTime(timeMs) {
      now = timeMs
    },
  }
}

async function redisRig(t: Test, server: Pick<RedisServer, 'url'>): Promise<Rig> {
  const { monotonic, setTime } = movedClocks(t, Date.UTC(2025, 11, 1))
  const open = () => testCounter(t, server, { deadlineMs: patientMs, processes: 2, monotonic })
  return { processes: [await open(), await open()], setTime }
}

const adapters = [
  { name: 'in the process', isSkipped: false, rig: memoryRig },
  {
    name: 'on one Redis',
    isSkipped: skip,
    rig: async (t: Test) => redisRig(t, await testRedis(t)),
  },
  {
    name: 'on a Redis Cluster',
    isSkipped: skip,
    async rig(t: Test) {
      const cluster = await startRedisCluster()
      t.teardown(() => cluster.stop())
      return redisRig(t, cluster)
    },
  },
] as const

/** Ends of windows, in order, with the hours of the window that ends and of the next one. */
const edges = [
  ['the year ends', 'P1M@Europe/Berlin', '2025-12-31T23:00:00Z', 31 * 24, 31 * 24],
  ['31 → 1', 'P1M@Europe/Berlin', '2026-01-31T23:00:00Z', 31 * 24, 28 * 24],
  ['28 → 1', 'P1M@Europe/Berlin', '2026-02-28T23:00:00Z', 28 * 24, 31 * 24 - 1],
  ['summer time begins', 'P1D@Europe/Berlin', '2026-03-28T23:00:00Z', 24, 23],
  ['the day of 23 hours ends', 'P1D@Europe/Berlin', '2026-03-29T22:00:00Z', 23, 24],
  ['no midnight', 'P1D@Africa/Cairo', '2026-04-23T22:00:00Z', 24, 23],
  ['summer time ends', 'P1D@Europe/Berlin', '2026-10-24T22:00:00Z', 24, 25],
  ['the day of 25 hours ends', 'P1D@Europe/Berlin', '2026-10-25T23:00:00Z', 25, 24],
  ['31 → 1 in a leap year', 'P1M@Europe/Berlin', '2028-01-31T23:00:00Z', 31 * 24, 29 * 24],
] as const

for (const { name, isSkipped, rig } of adapters) {
  t.test(`calendar windows ${name}`, { skip: isSkipped }, async (t) => {
    const { processes, setTime } = await rig(t)

    /** The length in hours of the window that each call was counted in. */
    function hoursOf(grants: readonly Grant[], { windowLength }: BucketLimit): number[] {
      const windows = new Set(grants.map(({ standings }) => standings[0]?.window))
      return [...windows].map((id) => (windowSeconds(id, windowLength) ?? 0) / 3600)
    }

    for (const [title, length, text, hours, nextHours] of edges) {
      t.test(
        `${title}: two processes admit exactly the limit before ${text} and after`,
        async (t) => {
          const limit = limitOf(title.replaceAll(' ', '-'), length, 5)
          const ask = async () =>
            (await Promise.all(processes.map((each) => askTimes(8, each, [limit])))).flat()
          const end = Date.parse(text)
          setTime(end - 60_000)
          const before = await ask()
          t.same(remainingOf(before), countdown(4))
          t.same(hoursOf(before, limit), [hours])
          const waits = before.flatMap(({ admitted, retryAfterMs }) =>
            admitted ? [] : [retryAfterMs],
          )
          t.ok(
            waits.every((ms) => ms > 50_000 && ms <= 61_000),
            'Retry-After ends with the window',
          )
          setTime(end + 1000)
          const after = await ask()
          t.same(remainingOf(after), countdown(4))
          t.same(hoursOf(after, limit), [nextHours])
          const [{ resetMs = 0 } = {}] = after.at(-1)?.standings ?? []
          t.ok(Math.abs(nextHours * 3_600_000 - resetMs) < 10_000, 'until the next one ends')
        },
      )
    }
  })
}

for (const [name, start] of [
  ['one Redis', testRedis],
  [
    'a Redis Cluster',
    async (t: Test) => {
      const cluster = await startRedisCluster()
      t.teardown(() => cluster.stop())
      return cluster
    },
  ],
] as const) {
  t.test(
    `processes that are months wrong about the time of ${name} admit exactly the limit, and show operators the count`,
    { skip },
    async (t) => {
      const server = await start(t)
      const clock = shiftClock(t)
      const january = Date.parse('2026-01-15T12:00:00Z')
      clock.set(january)
      const options = { deadlineMs: patientMs, processes: 2 }
      const [a, b] = [await testCounter(t, server, options), await testCounter(t, server, options)]
      const times = [january, Date.parse('2026-05-31T21:59:00Z'), january]
      for (const [step, timeMs] of times.entries()) {
        // The clock steps without a notification to the processes.
        clock.set(timeMs)
        const day = limitOf(`day-${step}`, 'P1D@Europe/Berlin', 9)
        const month = limitOf(`month-${step}`, 'P1M@Europe/Berlin', 5)
        const grants = await Promise.all([a, b].map((each) => askTimes(8, each, [day, month])))
        t.equal(admittedOf(grants.flat()), 5)
        t.ok(grants.flat().every(({ decision }) => !decision.startsWith('degraded')))
        clock.set(timeMs === january ? Date.parse('2026-09-01T00:00:00Z') : january)
        t.equal((await a.peek([month])).length, 1)
        clock.set(timeMs)
        t.match(await b.peek([month, day]), [{ count: 5 }, { count: 5 }])
        await a.reset(month)
        t.match(await b.peek([month, day]), [{ count: 0 }, { count: 5 }])
      }
    },
  )
}

t.test(
  'a script that is sent other windows than the current one changes nothing and says the time',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const client = new Redis(server.url)
    t.teardown(() => client.disconnect())
    const hourly = { bucket: 'tollgate:{app}:hourly', windowLength: 3600 }
    const monthly = limitOf('monthly', 'P1M@Europe/Berlin', 5)
    const groups = [0, 1].map((index) => ({ asked: 3, limits: [{ index, calls: 5 }] }))
    const { keys, args } = grantCommand({ buckets: [hourly, monthly], groups })
    const timeOf = async () => {
      const [seconds, micros] = await client.time()
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    }
    for (const days of [-100, 100]) {
      const begun = await timeOf()
      const words = args(begun + days * 86_400_000)
      const run = client.eval(grantScript.text, keys.length, ...keys, ...words)
      const { message } = await run.then(
        () => new Error('it ran'),
        (error: Error) => error,
      )
      const [, time] = /^WINDOWS (\d+)$/.exec(message) ?? []
      t.ok(Number(time) >= begun && Number(time) <= (await timeOf()), message)
      t.equal(await server.cli('DBSIZE'), '0')
    }
  },
)

t.test(
  'in an outage over the end of a month, each process admits its share of either month once',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const end = Date.parse('2026-01-31T23:00:00Z')
    const { clock, monotonic, setTime } = movedClocks(t, end - 60_000)
    const options = { processes: 2, monotonic, deadlineMs: patientMs }
    const processes = [
      await testCounter(t, server, options),
      await testCounter(t, server, options),
    ] as const
    const limit = limitOf('outage', 'P1M@Europe/Berlin', 10)
    for (const each of processes) t.equal(admittedOf(await askTimes(2, each, [limit])), 2)
    await server.kill()
    await until('all processes count apart', () => processes.every((each) => !each.isUp()))
    const share = async () =>
      (await Promise.all(processes.map((each) => askTimes(20, each, [limit])))).map(admittedOf)
    // The first process saw 2 calls, the second all 4.
    t.same(await share(), [4, 3])
    setTime(end + 1000)
    t.same(await share(), [5, 5])
    t.same(await share(), [0, 0])
    await server.restart()
    await until('all processes count in Redis', () => processes.every((each) => each.isUp()))
    // The last push of one process and a call of another come over two connections, in either order.
    await until(
      'the store knows ten calls',
      async () => (await processes[0].peek([limit]))[0]?.count === 10,
    )
    t.equal(admittedOf(await askTimes(20, processes[0], [limit])), 0)
    const { id } = windowAt(clock.now(), limit.windowLength)
    t.match(await server.cli('GET', limit.bucket), new RegExp(`^${id} `))
  },
)

t.test('counts of a month survive a restart, and end with the month', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-calendar-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const journalPath = join(folder, 'counters')
  const limit = limitOf('kept', 'P1M@Europe/Berlin', 5)
  let now = Date.parse('2026-01-31T22:59:59Z')
  async function admitted(): Promise<number> {
    const counter = await createMemoryCounter({ journalPath, now: () => now, log: silent })
    const grants = await askTimes(3, counter, [limit])
    await counter.close()
    return admittedOf(grants)
  }
  t.equal(await admitted(), 3)
  t.equal(await admitted(), 2)
  t.match(readFileSync(journalPath, 'utf8'), `${limit.bucket} P1M@Europe/Berlin 672 0 5;\n`)
  now = Date.parse('2026-01-31T23:00:00Z')
  t.equal(await admitted(), 3)
  now = Date.parse('2026-02-28T22:59:59Z')
  t.equal(await admitted(), 2)
  t.equal(await admitted(), 0)
})

t.test(
  'a process refuses from memory for an hour at most, because its clock and that of Redis drift apart in a month',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const end = Date.parse('2026-01-31T23:00:00Z')
    const clock = shiftClock(t)
    clock.set(end - 30 * 86_400_000)
    let slept = 0
    const monotonic = () => performance.now() + slept
    const counter = await testCounter(t, server, { monotonic, deadlineMs: patientMs })
    const limit = limitOf('drifting', 'P1M@Europe/Berlin', 5)
    t.equal(admittedOf(await askTimes(8, counter, [limit])), 5)
    clock.set(end + 1000)
    const [refused] = await askTimes(1, counter, [limit])
    t.equal(refused?.decision, 'refused_local')
    slept += 3_600_000
    t.equal(admittedOf(await askTimes(8, counter, [limit])), 5)
  },
)

t.test(
  'a count survives a loss of Redis until its month ends, although the process has measured minutes more by then',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const end = Date.parse('2026-01-31T23:00:00Z')
    const days30 = 30 * 86_400_000
    const clock = shiftClock(t)
    clock.set(end - days30)
    let slept = 0
    const monotonic = () => performance.now() + slept
    const counter = await testCounter(t, server, { monotonic, deadlineMs: patientMs })
    const limit = limitOf('remembered', 'P1M@Europe/Berlin', 5)
    t.equal(admittedOf(await askTimes(5, counter, [limit])), 5)
    clock.set(end - 60_000)
    slept += days30 + 60_000
    // The beat that notices the loss first drops the windows that are over.
    await server.cli('FLUSHALL')
    await until('the counter is away from Redis', () => !counter.isUp())
    await until('the counter counts in Redis', () => counter.isUp())
    t.equal(admittedOf(await askTimes(5, counter, [limit])), 0)
  },
)

t.test(
  'processes that disagree about when a month begins never grant its calls twice',
  { skip },
  async (t) => {
    const server = await testRedis(t)
    const client = new Redis(server.url)
    t.teardown(() => client.disconnect())
    const now = Date.now()
    const hour = 3_600_000
    /** Asks for five calls with the month's windows as one version of the time zones has them. */
    async function ask(begins: readonly number[]): Promise<number> {
      const { keys, args } = grantCommand({
        buckets: [{ bucket: 'tollgate:{app}:monthly', windowLength: 1 }],
        groups: [{ asked: 5, limits: [{ index: 0, calls: 5 }] }],
      })
      const [words] = args(now)
      const sent = String(words).replace(' 1000 ', ` 7/${begins.join('/')} `)
      const reply = await client.eval(grantScript.text, keys.length, ...keys, sent)
      return Number(String(reply).split(' ').at(-2))
    }
    const early = [now - 700 * hour, now - hour, now + 700 * hour]
    const late = [now - 700 * hour, now + hour, now + 700 * hour]
    t.equal(await ask(late), 5, 'month 7')
    t.equal(await ask(late), 0)
    t.equal(await ask(early), 5, 'month 8 has begun for one of them')
    t.equal(await ask(late), 0, 'and so for the other')
    t.equal(await ask(early), 0)
  },
)

t.test('names of buckets of clock windows are those of earlier versions', async (t) => {
  const operation = { api: 'xs2a', version: '1.7.0', id: 'listAccounts' }
  const nameOf = (scope: LimitScope, windowLength: WindowLength) =>
    bucketName('app', operation, { scope, windowLength })
  t.equal(nameOf('operation', 3600), 'tollgate:{app}:xs2a:1.7.0:listAccounts:3600')
  t.equal(nameOf('plan', 86_400), 'tollgate:{app}:xs2a:1.7.0:86400')
  t.equal(nameOf('plan', 'P1M@Europe/Berlin'), 'tollgate:{app}:xs2a:1.7.0:P1M@Europe/Berlin')
})

t.test(
  'a journal with a time zone that this system does not know costs its line only',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-calendar-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const journalPath = join(folder, 'counters')
    const hourly = { bucket: 'tollgate:{app}:hourly:3600', windowLength: 3600 }
    const hour = Math.floor(Date.UTC(2026, 0, 31, 12) / 3_600_000)
    const lines = [`tollgate:{app}:x:P1D@Mars/Olympus P1D@Mars/Olympus ${hour} 0 9;`]
    lines.push(`${hourly.bucket} 3600 ${hour} 0 7;`, '')
    writeFileSync(journalPath, lines.join('\n'))
    const now = () => Date.UTC(2026, 0, 31, 12, 30)
    const counter = await createMemoryCounter({ journalPath, now, log: silent })
    t.match(await counter.peek([hourly]), [{ count: 7 }])
    await counter.close()
  },
)
