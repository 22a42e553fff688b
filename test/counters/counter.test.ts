import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { BucketLimit, Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { createRedisCounter } from '../../src/gateway/counters/redis/redis-counter.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { startRedisSentinel } from '../support/redis-sentinel.ts'
import { redisMissing, startRedisServer } from '../support/redis-server.ts'
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

/** What the suite needs of an adapter. */
interface Rig {
  /** The counter of a gateway process; called again it is another process's, where there can be one. */
  open(): Promise<Counter>
  pass(ms: number): Promise<void>
  /** Makes the current window of {@link windowLength} end. */
  endWindow(): Promise<void>
}

interface Adapter {
  readonly name: string
  readonly skip: string | false
  rig(t: Test): Promise<Rig>
}

const adapters: Adapter[] = [
  {
    name: 'in the process, without a journal',
    skip: false,
    rig: (t) => memoryRig(t, undefined),
  },
  {
    name: 'in the process, journalled',
    skip: false,
    rig: (t) => memoryRig(t, temporaryFolder(t)),
  },
  {
    name: 'on one Redis',
    skip: redisMissing(),
    rig: (t) => redisRig(t, startRedisServer),
  },
  {
    name: 'on the Redis that sentinels name',
    skip: redisMissing(),
    rig: (t) => redisRig(t, startRedisSentinel),
  },
  {
    name: 'on a Redis Cluster',
    skip: redisMissing(),
    rig: (t) => redisRig(t, startRedisCluster),
  },
]

function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-counter-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return folder
}

/** 2026-11-20 at 10:00 UTC: a window begins. */
const begin = Date.UTC(2026, 10, 20, 10)
/** Seconds. */
const windowLength = 3600

async function memoryRig(t: Test, folder: string | undefined): Promise<Rig> {
  let now = begin
  const counter = await createMemoryCounter({
    ...(folder === undefined ? {} : { journalPath: join(folder, 'counters') }),
    now: () => now,
    log: silent,
  })
  t.teardown(() => counter.close())
  return {
    open: async () => counter,
    async pass(ms) {
      now += ms
    },
    async endWindow() {
      now += windowLength * 1000
    },
  }
}

async function redisRig(
  t: Test,
  start: () => Promise<{ readonly url: string; stop(): Promise<void> }>,
): Promise<Rig> {
  const redis = await start()
  t.teardown(() => redis.stop())
  const { clock, monotonic, setTime, pass } = movedClocks(t, begin)
  return {
    async open() {
      const counter = await createRedisCounter({
        address: parseRedisAddress(redis.url),
        processes: 2,
        settleMs: 0,
        deadlineMs: patientMs,
        monotonic,
        log: silent,
      })
      t.teardown(() => counter.close())
      return counter
    },
    pass: async (ms) => pass(ms),
    async endWindow() {
      const windowMs = windowLength * 1000
      setTime(Math.ceil(clock.now() / windowMs) * windowMs + 1000)
    },
  }
}

for (const adapter of adapters) {
  t.test(`counter ${adapter.name}`, { skip: adapter.skip }, async (t) => {
    const rig = await adapter.rig(t)
    const counter = await rig.open()
    const other = await rig.open()

    t.test(
      'admits exactly 100 of 500 concurrent calls, and reports to each what is left',
      async (t) => {
        const limits = [{ ...bucketOf('exact'), calls: 100 }]
        const grants = (
          await Promise.all([askTimes(250, counter, limits), askTimes(250, other, limits)])
        ).flat()
        t.equal(admittedOf(grants), 100)
        t.same(remainingOf(grants), countdown(99))
        t.same(
          grants.filter(({ admitted, decision, retryAfterMs, standings: [standing] }) => {
            const resetMs = standing?.resetMs ?? 0
            const isSound = admitted
              ? decision === 'admitted' && retryAfterMs === 0
              : decision.startsWith('refused') && retryAfterMs === resetMs
            return !isSound || resetMs <= 0 || resetMs > longWindowSeconds * 1000
          }),
          [],
        )
      },
    )

    t.test('leaves other buckets untouched', async (t) => {
      await askTimes(20, counter, [{ ...bucketOf('crowded'), calls: 10 }])
      t.match(await ask(counter, [{ ...bucketOf('neighbour'), calls: 10 }]), {
        admitted: true,
        standings: [{ remaining: 9 }],
      })
      t.match(await counter.peek([bucketOf('crowded'), bucketOf('neighbour'), bucketOf('empty')]), [
        { bucket: bucketOf('crowded').bucket, count: 10 },
        { bucket: bucketOf('neighbour').bucket, count: 1 },
        { bucket: bucketOf('empty').bucket, count: 0 },
      ])
    })

    t.test('admits the whole limit again in the next window', async (t) => {
      const bucket = bucketOf('rolling', windowLength)
      const limits = [{ ...bucket, calls: 5 }]
      await rig.endWindow()
      t.equal(admittedOf(await askTimes(8, counter, limits)), 5)
      await rig.endWindow()
      t.same(remainingOf(await askTimes(8, counter, limits)), countdown(4))
    })

    t.test('(5) a limit lowered below its count refuses and grants nothing back', async (t) => {
      const bucket = bucketOf('lowered')
      t.equal(admittedOf(await askTimes(60, counter, [{ ...bucket, calls: 100 }])), 60)
      for (const process of [counter, other]) {
        const refused = await ask(process, [{ ...bucket, calls: 40 }])
        t.match(refused, { admitted: false, standings: [{ remaining: 0, granted: false }] })
      }
      t.match(await counter.peek([bucket]), [{ count: 60 }])
    })

    t.test(
      '(5) a limit raised while its refusal is remembered or in flight admits at once',
      async (t) => {
        const bucket = bucketOf('raised')
        await askTimes(50, counter, [{ ...bucket, calls: 40 }])
        t.match(await ask(counter, [{ ...bucket, calls: 40 }]), { admitted: false })
        const [small, large] = await Promise.all([
          ask(other, [{ ...bucket, calls: 40 }]),
          ask(other, [{ ...bucket, calls: 100 }]),
        ])
        t.match([small, large], [{ admitted: false }, { admitted: true }])
        t.equal(admittedOf(await askTimes(80, counter, [{ ...bucket, calls: 100 }])), 59)
        t.match(await counter.peek([bucket]), [{ count: 100 }])
      },
    )

    t.test('(11) of two limits of which one is used up, the other is not consumed', async (t) => {
      const operation = bucketOf('two:operation')
      const plan = bucketOf('two:plan')
      const limits: BucketLimit[] = [
        { ...operation, calls: 10 },
        { ...plan, calls: 4 },
      ]
      const grants = await askTimes(7, counter, limits)
      t.equal(admittedOf(grants), 4)
      t.match(await counter.peek([operation, plan]), [{ count: 4 }, { count: 4 }])
      t.match(await ask(other, limits), {
        admitted: false,
        standings: [
          { remaining: 6, granted: true },
          { remaining: 0, granted: false },
        ],
      })
      t.match(await counter.peek([operation, plan]), [{ count: 4 }, { count: 4 }])
    })

    t.test('calls with several limits and calls with one share a bucket exactly', async (t) => {
      const operation = bucketOf('mixed:operation')
      const plan = bucketOf('mixed:plan')
      const both: BucketLimit[] = [
        { ...operation, calls: 30 },
        { ...plan, calls: 50 },
      ]
      const grants = await Promise.all([
        askTimes(40, counter, both),
        askTimes(40, counter, [{ ...plan, calls: 50 }]),
      ])
      t.equal(admittedOf(grants.flat()), 50)
      const [one, two] = await counter.peek([operation, plan])
      t.equal(two?.count, 50)
      t.equal(one?.count, admittedOf(grants[0]))
    })

    t.test('two limits on one bucket count a call once, and the smaller decides', async (t) => {
      const bucket = bucketOf('same')
      const limits = [
        { ...bucket, calls: 5 },
        { ...bucket, calls: 3 },
      ]
      const grants = await askTimes(6, counter, limits)
      t.equal(admittedOf(grants), 3)
      t.match(grants.at(2), {
        standings: [
          { remaining: 2, granted: true },
          { remaining: 0, granted: true },
        ],
      })
      t.match(grants.at(3), {
        standings: [
          { remaining: 2, granted: true },
          { remaining: 0, granted: false },
        ],
      })
      t.match(await counter.peek([bucket]), [{ count: 3 }])
    })

    t.test(
      'a reset bucket admits its whole limit again, and peeking changes nothing',
      async (t) => {
        const bucket = bucketOf('reset')
        const limits = [{ ...bucket, calls: 10 }]
        await askTimes(12, counter, limits)
        await counter.reset(bucket)
        t.match(await counter.peek([bucket]), [{ count: 0 }])
        t.match(await counter.peek([bucket]), [{ count: 0 }])
        t.equal(admittedOf(await askTimes(12, counter, limits)), 10)
      },
    )

    t.test('a call made after Retry-After succeeds', async (t) => {
      const bucket = bucketOf('honest', windowLength)
      const limits = [{ ...bucket, calls: 1 }]
      await rig.endWindow()
      await ask(counter, limits)
      const { admitted, retryAfterMs } = await ask(counter, limits)
      t.equal(admitted, false)
      t.ok(retryAfterMs > 0 && retryAfterMs <= windowLength * 1000)
      await rig.pass(retryAfterMs)
      t.match(await ask(counter, limits), { admitted: true })
    })

    t.test('is up', async (t) => t.equal(counter.isUp(), true))
  })
}
