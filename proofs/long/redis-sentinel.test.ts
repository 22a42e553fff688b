import t from 'tap'
import { testCounter } from '../../test/counters/redis-rig.ts'
import { admittedOf, ask, askTimes, bucketOf } from '../../test/counters/rig.ts'
import { redisCommand } from '../../test/support/redis-command.ts'
import { type RedisSentinel, startRedisSentinel } from '../../test/support/redis-sentinel.ts'
import { redisMissing } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'

const skip = redisMissing()
const settling = { processes: 4, settleMs: 1000 }

// One group for the whole file: the tests hand it over to each other, whichever server is the primary.
t.test('on the Redis the sentinels name', { skip, timeout: 300_000 }, async (t) => {
  const redis = await startRedisSentinel()
  t.teardown(() => redis.stop())

  // No clock of a Redis can be shifted here, so the old one has counted ahead of its own: to the new one that is the same.
  t.test(
    '(3) a new primary whose clock is behind: its window is the one before, then the same again, and no call is granted twice',
    async (t) => {
      const [a, b] = await Promise.all([
        testCounter(t, redis, settling),
        testCounter(t, redis, settling),
      ])
      const { edgeMs, windowSeconds } = nextEdge()
      const window = edgeMs / 1000 / windowSeconds
      const known = { ...bucketOf('behind:known', windowSeconds), calls: 100 }
      const unknown = { ...bucketOf('behind:unknown', windowSeconds), calls: 100 }
      const old = await redis.primary()
      const next = otherOf(redis, old)
      for (const limit of [known, unknown]) {
        await old.cli('SET', limit.bucket, `${window} 0 50`)
        t.equal(admittedOf(await askTimes(10, a, [limit])), 10)
      }
      await until('the store knows sixty calls', async () =>
        (await next.cli('GET', unknown.bucket)).endsWith(' 60'),
      )
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'no')
      await next.cli('DEL', unknown.bucket)
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'yes')
      // On a busy machine both counters are back before the sentinels have said that they switched.
      await Promise.all([
        redis.failover(),
        ...[a, b].map((counter) => until('the counter is away from Redis', () => !counter.isUp())),
      ])
      await until('both count in Redis', () => a.isUp() && b.isUp())
      t.ok(Date.now() < edgeMs, 'the window before, by its clock')
      for (const limit of [known, unknown]) {
        const grants = [...(await askTimes(60, b, [limit])), ...(await askTimes(60, a, [limit]))]
        t.equal(admittedOf(grants), 40)
        t.match(await next.cli('GET', limit.bucket), new RegExp(`^${window} 0 100$`))
      }
      await until('the next window has begun', () => Date.now() > edgeMs + 50)
      const c = await testCounter(t, redis, settling)
      for (const limit of [known, unknown]) {
        const grants = [a, b, c].map((counter) => askTimes(20, counter, [limit]))
        t.equal(admittedOf((await Promise.all(grants)).flat()), 0)
      }
      await redis.follow()
    },
  )

  t.test('an orderly switch loses no count and grants no call twice', async (t) => {
    const [a, b] = await Promise.all([
      testCounter(t, redis, settling),
      testCounter(t, redis, settling),
    ])
    const limits = [{ ...bucketOf('orderly'), calls: 100 }]
    t.equal(admittedOf(await askTimes(30, a, limits)), 30)
    t.equal(admittedOf(await askTimes(30, b, limits)), 30)
    await redis.failover()
    await until('both count in Redis', () => a.isUp() && b.isUp())
    t.match(await a.peek(limits), [{ count: 60 }])
    t.equal(
      admittedOf([...(await askTimes(50, a, limits)), ...(await askTimes(50, b, limits))]),
      40,
    )
  })

  t.test(
    'a primary that was switched away from and comes back before it was a replica is not trusted',
    async (t) => {
      const a = await testCounter(t, redis, settling)
      const limits = [{ ...bucketOf('returned'), calls: 100 }]
      t.equal(admittedOf(await askTimes(100, a, limits)), 100)
      const old = await redis.primary()
      const returned = otherOf(redis, old)
      t.match(await returned.cli('ROLE'), /^master/)
      const history = await historyOf(returned)
      await old.kill()
      await redis.switched(old)
      t.equal(await historyOf(returned), history, 'it never followed')
      await until('it counts in Redis', () => a.isUp())
      const c = await testCounter(t, redis, settling)
      t.equal(admittedOf(await askTimes(100, c, limits)), 0)
      await old.restart()
      await redis.follow()
    },
  )

  t.test(
    'what a killed primary had not handed on is pushed by every process, used-up counts included, before any call is granted',
    async (t) => {
      const [a, b] = await Promise.all([
        testCounter(t, redis, settling),
        testCounter(t, redis, settling),
      ])
      const spent = [{ ...bucketOf('lost:spent'), calls: 100 }]
      const begun = [{ ...bucketOf('lost:begun'), calls: 100 }]
      t.equal(admittedOf(await askTimes(120, a, spent)), 100)
      t.equal(admittedOf(await askTimes(70, b, begun)), 70)
      const old = await redis.primary()
      const next = otherOf(redis, old)
      // As if replication had stopped before: the replica has 20 of one and nothing of the other.
      await until(
        'the bucket is in the store',
        async () => (await next.cli('EXISTS', begun[0]?.bucket ?? '')) === '1',
      )
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'no')
      const stored = await next.cli('GET', begun[0]?.bucket ?? '')
      await next.cli('SET', begun[0]?.bucket ?? '', stored.replace(/70$/, '20'))
      await next.cli('DEL', spent[0]?.bucket ?? '')
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'yes')
      await old.kill()
      await until('both are away from Redis', () => !a.isUp() && !b.isUp())
      t.match(await ask(a, spent), { decision: 'refused_local' })
      await redis.switched(old)
      // Fresh, it knows of no failover: the marker of another run shows it.
      const c = await testCounter(t, redis, settling)
      t.equal(c.isUp(), true)
      t.same(admittedOf(await askTimes(100, c, spent)), 0)
      t.same(admittedOf(await askTimes(100, c, begun)), 30)
      await until('both count in Redis', () => a.isUp() && b.isUp())
      t.match(await a.peek([...spent, ...begun]), [{ count: 100 }, { count: 100 }])
      await old.restart()
      await redis.follow()
    },
  )

  t.test('a gateway that reaches no sentinel starts, and decides locally', async (t) => {
    const counter = await testCounter(t, redis, settling)
    t.equal(counter.isUp(), true)
    const lost = await testCounter(
      t,
      { url: 'redis+sentinel://127.0.0.1:9,127.0.0.1:10/tollgate' },
      settling,
    )
    t.equal(lost.isUp(), false)
    t.match(await ask(lost, [{ ...bucketOf('lonely'), calls: 4 }]), {
      decision: 'degraded_admitted',
    })
  })

  // Last, because it reconfigures what the sentinels watch.
  t.test(
    '(10) a demoted primary that answers READONLY for ever is left when the sentinels name another',
    async (t) => {
      const counter = await testCounter(t, redis, settling)
      const limits = [{ ...bucketOf('demoted'), calls: 100 }]
      t.equal(admittedOf(await askTimes(40, counter, limits)), 40)
      const old = await redis.primary()
      const other = otherOf(redis, old)
      // All are reset first: one that remembers would make the other server a replica again, or teach
      // the sentinels what it knew. So they announce no switch and end no connection.
      for (const port of redis.sentinelPorts) {
        await redisCommand(port, 'SENTINEL', 'REMOVE', redis.group)
      }
      await other.cli('REPLICAOF', 'NO', 'ONE')
      await old.cli('REPLICAOF', '127.0.0.1', String(other.port))
      t.match(await ask(counter, limits), { decision: 'degraded_admitted' })
      t.equal(counter.isUp(), false)
      const to = [redis.group, '127.0.0.1', String(other.port), '2']
      for (const port of redis.sentinelPorts) {
        await redisCommand(port, 'SENTINEL', 'MONITOR', ...to)
      }
      await until('the counter counts in Redis', () => counter.isUp())
      t.match(await counter.peek(limits), [{ count: 41 }])
      t.equal(admittedOf(await askTimes(100, counter, limits)), 59)
    },
  )
})

/**
 * A moment at which a window of some length begins, and that length: late enough for a switch of the sentinels on a busy
 * machine.
 */
function nextEdge(): { edgeMs: number; windowSeconds: number } {
  const now = Math.ceil(Date.now() / 1000)
  for (let edge = now + 20; ; edge += 1) {
    for (let windowSeconds = 30; windowSeconds < 90; windowSeconds += 1) {
      if (edge % windowSeconds === 0) return { edgeMs: edge * 1000, windowSeconds }
    }
  }
}

/** Names the writes a server has: another as soon as it follows, and again when it is promoted. */
async function historyOf(server: RedisSentinel['servers'][0]): Promise<string> {
  const [, id] = /^master_replid:(\w+)/m.exec(await server.cli('INFO', 'replication')) ?? []
  if (id === undefined) throw new Error('no master_replid')
  return id
}

function otherOf({ servers: [first, second] }: RedisSentinel, one: RedisSentinel['servers'][0]) {
  return one === first ? second : first
}
