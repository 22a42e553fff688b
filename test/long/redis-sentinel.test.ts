import t from 'tap'
import { type RedisSentinel, startRedisSentinel } from '../support/redis-sentinel.ts'
import { redisMissing } from '../support/redis-server.ts'
import { testCounter, until } from '../counters/redis-rig.ts'
import { admittedOf, ask, askTimes, bucketOf } from '../counters/rig.ts'

const skip = redisMissing()
const settling = { processes: 4, settleMs: 1000 }

// One group for the whole file: the tests hand it over to each other, whichever server is the primary.
t.test('on the Redis the sentinels name', { skip, timeout: 120_000 }, async (t) => {
  const redis = await startRedisSentinel()
  t.teardown(() => redis.stop())

  t.test('an orderly switch loses no count and grants nobody a forgotten one', async (t) => {
    const [a, b] = await Promise.all([
      testCounter(t, redis, settling),
      testCounter(t, redis, settling),
    ])
    const limits = [{ ...bucketOf('orderly'), calls: 100 }]
    t.equal(admittedOf(await askTimes(30, a, limits)), 30)
    t.equal(admittedOf(await askTimes(30, b, limits)), 30)
    await redis.failover()
    await until(() => a.isUp() && b.isUp())
    t.match(await a.peek(limits), [{ count: 60 }])
    t.equal(
      admittedOf([...(await askTimes(50, a, limits)), ...(await askTimes(50, b, limits))]),
      40,
    )
  })

  t.test(
    'a primary that was switched away from and comes back before it followed anybody is not trusted',
    async (t) => {
      const a = await testCounter(t, redis, settling)
      const limits = [{ ...bucketOf('returned'), calls: 100 }]
      t.equal(admittedOf(await askTimes(100, a, limits)), 100)
      const old = await redis.primary()
      const returned = otherOf(redis, old)
      t.match(await returned.cli('ROLE'), /^master/)
      await old.kill()
      await redis.switched(old)
      await until(() => a.isUp())
      const c = await testCounter(t, redis, settling)
      t.equal(admittedOf(await askTimes(100, c, limits)), 0)
      await old.restart()
      await redis.follow()
    },
  )

  t.test(
    'what a killed primary had not handed on is pushed by every process, used-up counts included, before anybody is granted',
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
      await until(async () => (await next.cli('EXISTS', begun[0]?.bucket ?? '')) === '1')
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'no')
      const stored = await next.cli('GET', begun[0]?.bucket ?? '')
      await next.cli('SET', begun[0]?.bucket ?? '', stored.replace(/70$/, '20'))
      await next.cli('DEL', spent[0]?.bucket ?? '')
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'yes')
      await old.kill()
      await until(() => !a.isUp() && !b.isUp())
      t.match(await ask(a, spent), { decision: 'refused_local' })
      await redis.switched(old)
      // Fresh, it knows of no failover: the marker of another run tells it.
      const c = await testCounter(t, redis, settling)
      t.equal(c.isUp(), true)
      t.same(admittedOf(await askTimes(100, c, spent)), 0)
      t.same(admittedOf(await askTimes(100, c, begun)), 30)
      await until(() => a.isUp() && b.isUp())
      t.match(await a.peek([...spent, ...begun]), [{ count: 100 }, { count: 100 }])
      await old.restart()
      await redis.follow()
    },
  )

  t.test(
    'with all sentinels gone a gateway counts on, and a new one starts and decides locally',
    async (t) => {
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
    },
  )

  // The last one, because it leaves sentinels that were told anew what to watch.
  t.test(
    '(10) a demoted primary that answers READONLY for ever is left when the sentinels name another',
    async (t) => {
      const counter = await testCounter(t, redis, settling)
      const limits = [{ ...bucketOf('demoted'), calls: 100 }]
      t.equal(admittedOf(await askTimes(40, counter, limits)), 40)
      const old = await redis.primary()
      const other = otherOf(redis, old)
      // Behind the back of the sentinels, who announce no switch and end no connection.
      await other.cli('REPLICAOF', 'NO', 'ONE')
      await old.cli('REPLICAOF', '127.0.0.1', String(other.port))
      t.match(await ask(counter, limits), { decision: 'degraded_admitted' })
      t.equal(counter.isUp(), false)
      for (const port of redis.sentinelPorts) {
        await old.cli('-p', String(port), 'SENTINEL', 'REMOVE', redis.group)
        await old.cli(
          '-p',
          String(port),
          'SENTINEL',
          'MONITOR',
          redis.group,
          '127.0.0.1',
          String(other.port),
          '2',
        )
      }
      t.ok((await until(() => counter.isUp())) < 3000)
      t.match(await counter.peek(limits), [{ count: 41 }])
      t.equal(admittedOf(await askTimes(100, counter, limits)), 59)
    },
  )
})

function otherOf({ servers: [first, second] }: RedisSentinel, one: RedisSentinel['servers'][0]) {
  return one === first ? second : first
}
