import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { BucketLimit, Counter, Grant } from '../../src/gateway/counters/counter.ts'
import { markerSlot } from '../../src/gateway/counters/redis/cluster/cluster-slots.ts'
import { noObserver } from '../../src/gateway/counters/redis/counter-observer.ts'
import { createLifetime } from '../../src/platform/process/lifetime.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import { openAttempts } from '../../src/portal/accounts/open-attempts.ts'
import { testCounter, testPair } from '../../test/counters/redis-rig.ts'
import {
  admittedOf,
  ask,
  askTimes,
  countdown,
  longWindowSeconds,
  remainingOf,
  silent,
} from '../../test/counters/rig.ts'
import { testKeyring } from '../../test/support/keyring.ts'
import { startRedisCluster } from '../../test/support/redis-cluster.ts'
import { redisMissing } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'

const skip = redisMissing()
const settling = { processes: 4, settleMs: 1000 }

/** A limit of a separate application, which decides the slot. */
function limitOf(application: string, calls = 100, operation = 'listAccounts'): BucketLimit {
  const windowLength = longWindowSeconds
  const bucket = `tollgate:{${application}}:xs2a:1.7.0:${operation}:${windowLength}`
  return { bucket, windowLength, calls }
}

function decisionsOf(grants: readonly Grant[]): string[] {
  return [...new Set(grants.map(({ decision }) => decision))].toSorted()
}

/** Makes one call after the other until stopped. */
function askOn(counter: Counter, limits: readonly BucketLimit[]) {
  let isStopped = false
  const grants: Grant[] = []
  async function run(): Promise<Grant[]> {
    while (!isStopped) {
      grants.push(await ask(counter, limits))
      await delay(1)
    }
    return grants
  }
  const running = run()
  return {
    stop() {
      isStopped = true
      return running
    },
  }
}

// One cluster for the file: tests leave it whole, if not as they found it.
t.test('on a Redis Cluster', { skip, timeout: 300_000 }, async (t) => {
  const cluster = await startRedisCluster()
  t.teardown(() => cluster.stop())
  const open = (t: Parameters<typeof testCounter>[0], options = {}) =>
    testCounter(t, cluster, { ...settling, ...options })

  t.test(
    'processes admit exactly the limit of each of 60 applications on all nodes, every remaining value once',
    async (t) => {
      const counters = await Promise.all([1, 2, 3, 4].map(() => open(t, { deadlineMs: 1000 })))
      const limits = Array.from({ length: 60 }, (_, index) => limitOf(`exact-${index}`, 10))
      const grants = await Promise.all(
        limits.map(async (limit) =>
          (await Promise.all(counters.map((counter) => askTimes(5, counter, [limit])))).flat(),
        ),
      )
      for (const own of grants) t.same(remainingOf(own), countdown(9))
      const [first] = counters
      t.same(new Set((await first?.peek(limits))?.map(({ count }) => count)), new Set([10]))
    },
  )

  t.test(
    'a slot given to another node in the middle of calls costs none of them its exact decision',
    async (t) => {
      const [a, b] = await Promise.all([open(t, { deadlineMs: 500 }), open(t, { deadlineMs: 500 })])
      const limit = limitOf('moving', 100_000)
      const other = limitOf('moving', 100_000, 'createPayment')
      const slot = await cluster.slotOf(limit.bucket)
      const home = await cluster.ownerOf(slot)
      const away = cluster.nodes.slice(0, 3).find(({ id }) => id !== home.id)
      if (away === undefined) throw new Error('no other node')
      const running = [askOn(a, [limit]), askOn(b, [limit]), askOn(a, [other])]
      for (const to of [away, home, away]) {
        await cluster.beginMove(slot, to)
        await delay(50)
        await cluster.moveKeys(slot, to)
        await delay(50)
        await cluster.endMove(slot, to)
        await delay(50)
      }
      const [one = [], two = [], three = []] = await Promise.all(running.map((each) => each.stop()))
      t.same(decisionsOf([...one, ...two, ...three]), ['admitted'])
      t.match(await a.peek([limit, other]), [
        { count: one.length + two.length },
        { count: three.length },
      ])
      t.equal(a.isUp() && b.isUp(), true)
    },
  )

  t.test(
    '(10) a batch in the middle of a moving slot: keys here, there and nowhere, and one of another type',
    async (t) => {
      const a = await open(t, { deadlineMs: 500 })
      const limits = Array.from({ length: 50 }, (_, index) =>
        limitOf('apart', 100, `operation-${index}`),
      )
      const slot = await cluster.slotOf(limits[0]?.bucket ?? '')
      const home = await cluster.ownerOf(slot)
      const away = cluster.nodes.slice(0, 3).find(({ id }) => id !== home.id)
      if (away === undefined) throw new Error('no other node')
      const askAll = (many: readonly BucketLimit[]) =>
        Promise.all(many.map((limit) => ask(a, [limit])))
      // 40 of them are known; of these, 20 go ahead, and one of each half is damaged.
      t.same(decisionsOf(await askAll(limits.slice(0, 40))), ['admitted'])
      for (const index of [5, 25]) {
        const key = limits[index]?.bucket ?? ''
        await home.cli('DEL', key)
        await home.cli('LPUSH', key, 'x')
      }
      await cluster.beginMove(slot, away)
      await cluster.moveKeys(
        slot,
        away,
        limits.slice(0, 20).map(({ bucket }) => bucket),
      )
      t.same(decisionsOf(await askAll(limits)), ['admitted'])
      t.same(
        (await a.peek(limits)).map(({ count }) => count),
        [...Array(40).fill(2), ...Array(10).fill(1)],
      )
      await cluster.moveKeys(slot, away)
      await cluster.endMove(slot, away)
      t.same(decisionsOf(await askAll(limits)), ['admitted'])
      const counts = (await a.peek(limits)).map(({ count }) => count)
      t.same(counts, [...Array(40).fill(3), ...Array(10).fill(2)])
      t.equal(a.isUp(), true)
    },
  )

  t.test(
    'two limits on one call, one bucket gone ahead: all or none, and nothing is lost when the slot has arrived',
    async (t) => {
      const a = await open(t)
      const limits = [limitOf('pair', 10), limitOf('pair', 4, 'plan')]
      t.equal(admittedOf(await askTimes(2, a, limits)), 2)
      const slot = await cluster.slotOf(limits[0]?.bucket ?? '')
      const home = await cluster.ownerOf(slot)
      const away = cluster.nodes.slice(0, 3).find(({ id }) => id !== home.id)
      if (away === undefined) throw new Error('no other node')
      await cluster.beginMove(slot, away)
      await cluster.moveKeys(slot, away, [limits[0]?.bucket ?? ''])
      const apart = await ask(a, limits)
      await cluster.moveKeys(slot, away)
      await cluster.endMove(slot, away)
      const rest = await askTimes(5, a, limits)
      t.ok(admittedOf([apart, ...rest]) <= 2)
      t.match(await a.peek(limits), [{ count: 4 }, { count: 4 }])
    },
  )

  t.test('the slot of the marker may move too', async (t) => {
    const causes: string[] = []
    const observer = {
      ...noObserver,
      switched: (to: string, cause: string) => void (to === 'local' && causes.push(cause)),
    }
    const options = { deadlineMs: 500, observer }
    const [a, b] = await Promise.all([open(t, options), open(t, options)])
    const [home, away] = cluster.nodes
    if (home === undefined || away === undefined) throw new Error('no nodes')
    const lines = (await home.cli('CLUSTER', 'NODES')).split('\n').map((line) => line.split(' '))
    const own = lines.find(([id]) => id === home.id)?.slice(8) ?? []
    const slots = own.flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
    const slot = markerSlot(slots)
    if (slot === undefined) throw new Error('no slots')
    const running = await Promise.all(
      ['one', 'two', 'three', 'four', 'five', 'six'].map(async (name) =>
        askOn(name < 'o' ? a : b, [limitOf(`beside-${name}`, 1e6)]),
      ),
    )
    await cluster.beginMove(slot, away)
    await cluster.moveKeys(slot, away)
    await cluster.endMove(slot, away)
    await delay(2500) // the map is looked at once a second
    const grants = (await Promise.all(running.map((each) => each.stop()))).flat()
    t.ok(grants.filter(({ decision }) => decision === 'admitted').length > 0.9 * grants.length)
    // A busy machine may be silent for its tenth of a second; nothing else may have happened.
    t.same(
      causes.filter((cause) => cause !== 'silent'),
      [],
    )
    t.equal(a.isUp() && b.isUp(), true)
    const c = await open(t)
    t.equal(c.isUp(), true)
    t.equal(a.isUp() && b.isUp(), true, 'a fresh process finds the marker where it is now')
  })

  t.test('a new node that is given slots is used at once', async (t) => {
    // A busy machine may be silent for half a second. A node that is not used decides nothing, however long a call may wait.
    const [a, b] = await Promise.all([open(t, { deadlineMs: 2000 }), open(t, { deadlineMs: 2000 })])
    const limit = limitOf('growing', 1e6)
    const slot = await cluster.slotOf(limit.bucket)
    const added = await cluster.grow()
    const running = [askOn(a, [limit]), askOn(b, [limit])]
    await delay(20)
    await cluster.beginMove(slot, added)
    await cluster.moveKeys(slot, added)
    await cluster.endMove(slot, added)
    await delay(1500)
    const grants = (await Promise.all(running.map((each) => each.stop()))).flat()
    t.same(decisionsOf(grants), ['admitted'])
    t.match(await a.peek([limit]), [{ count: grants.length }])
  })

  t.test(
    '(2) after a flush of one node a fresh process is not granted what another one used up',
    async (t) => {
      const a = await open(t)
      const limit = limitOf('wiped')
      t.equal(admittedOf(await askTimes(101, a, [limit])), 100)
      const node = await cluster.ownerOfKey(limit.bucket)
      await node.cli('FLUSHALL')
      const c = await open(t)
      t.equal(c.isUp(), true)
      t.equal(admittedOf(await askTimes(100, c, [limit])), 0)
      await until('it counts in Redis', () => a.isUp())
      t.match(await a.peek([limit]), [{ count: 100 }])
    },
  )

  t.test('(2) a flush under an open connection grants no application a second limit', async (t) => {
    const [a, c] = await testPair(t, cluster, settling)
    const limit = limitOf('wiped-live')
    t.equal(admittedOf(await askTimes(101, a, [limit])), 100)
    const node = await cluster.ownerOfKey(limit.bucket)
    await node.cli('FLUSHALL')
    const grants = await askTimes(100, c, [limit])
    t.equal(admittedOf(grants), 25, 'its share')
    t.same(decisionsOf(grants), ['degraded_admitted', 'degraded_refused'])
    await until('both count in Redis', () => a.isUp() && c.isUp())
    t.match(await c.peek([limit]), [{ count: 125 }])
  })

  t.test('an orderly change of the primary (MOVED from now on) loses no count', async (t) => {
    const [a, b] = await Promise.all([open(t), open(t)])
    const limit = limitOf('orderly')
    t.equal(
      admittedOf([...(await askTimes(30, a, [limit])), ...(await askTimes(30, b, [limit]))]),
      60,
    )
    const old = await cluster.ownerOfKey(limit.bucket)
    const next = await cluster.replicaOf(old)
    await next.cli('CLUSTER', 'FAILOVER')
    await cluster.promoted(next)
    // Without calls, by a look at the marker.
    await until('both are away from Redis', () => !a.isUp() && !b.isUp())
    await until('both count in Redis', () => a.isUp() && b.isUp())
    t.match(await a.peek([limit]), [{ count: 60 }])
    t.equal(
      admittedOf([...(await askTimes(50, a, [limit])), ...(await askTimes(50, b, [limit]))]),
      40,
    )
    t.ok(next.id !== old.id)
  })

  t.test(
    'a primary that is killed degrades its own slots only, and what it had not handed on is pushed before any call is granted',
    async (t) => {
      const [a, b] = await Promise.all([open(t), open(t, { deadlineMs: 500 })])
      const spent = limitOf('killed')
      const begun = limitOf('killed', 100, 'createPayment')
      const old = await cluster.ownerOfKey(spent.bucket)
      const next = await cluster.replicaOf(old)
      const beside = await Promise.all(
        ['p', 'q', 'r', 's', 't', 'u', 'v', 'w'].map(async (name) => {
          const limit = limitOf(`beside-${name}`, 1e6)
          return (await cluster.ownerOfKey(limit.bucket)) === old ? [] : [limit]
        }),
      )
      t.equal(admittedOf(await askTimes(120, a, [spent])), 100)
      t.equal(admittedOf(await askTimes(70, b, [begun])), 70)
      // As if replication had stopped before: the replica has 20 of one and nothing of the other.
      await until(
        'all keys have moved',
        async () => (await next.cli('DBSIZE')) === (await old.cli('DBSIZE')),
      )
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'no')
      await next.cli(
        'EVAL',
        `redis.call('DEL', KEYS[1]) local stored = redis.call('GET', KEYS[2]) return redis.call('SET', KEYS[2], (string.gsub(stored, '70$', '20')))`,
        '2',
        spent.bucket,
        begun.bucket,
      )
      await next.cli('CONFIG', 'SET', 'replica-read-only', 'yes')
      const running = beside.flat().map((limit) => askOn(b, [limit]))
      t.ok(running.length > 2)
      await old.kill()
      await until('both are away from Redis', () => !a.isUp() && !b.isUp())
      t.match(await ask(a, [spent]), { decision: 'refused_local' })
      await cluster.promoted(next)
      const c = await open(t)
      t.equal(c.isUp(), true)
      t.equal(admittedOf(await askTimes(100, c, [spent])), 0)
      t.equal(admittedOf(await askTimes(100, c, [begun])), 30)
      await until('both count in Redis', () => a.isUp() && b.isUp())
      t.match(await a.peek([spent, begun]), [{ count: 100 }, { count: 100 }])
      const grants = (await Promise.all(running.map((each) => each.stop()))).flat()
      t.same(decisionsOf(grants), ['admitted'])
      await old.restart()
    },
  )

  t.test('portals count attempts together in a cluster', async (t) => {
    const lifetime = createLifetime()
    t.teardown(() => lifetime.close())
    const open = () =>
      openAttempts({
        redis: parseRedisAddress(cluster.url),
        log: silent,
        lifetime,
        key: testKeyring(0),
        clientAddress: () => '192.0.2.1',
        monotonic: () => performance.now(),
      })
    const portals = await Promise.all([open(), open()])
    const request = new IncomingMessage(new Socket())
    let counted = 0
    for (let attempt = 0; attempt < 14; attempt += 1) {
      await portals[attempt % 2]?.countSignIn({ request, email: 'anna@example.com' }).then(
        () => {
          counted += 1
        },
        (error: unknown) => t.match(error, { refusal: { code: 'ATTEMPTS_EXCEEDED' } }),
      )
    }
    t.equal(counted, 10)
  })

  // The last one: it breaks the cluster.
  t.test(
    'when the cluster has no majority any more, what is left of it answers CLUSTERDOWN, and policies decide',
    async (t) => {
      const counter = await open(t)
      const limits = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => limitOf(`down-${index}`, 100)),
      )
      for (const limit of limits) await ask(counter, [limit])
      const primaries = new Set(
        await Promise.all(limits.map(({ bucket }) => cluster.ownerOfKey(bucket))),
      )
      t.ok(primaries.size >= 3)
      const [survivor] = primaries
      for (const node of cluster.nodes) if (node !== survivor) await node.kill()
      await until(
        'the cluster has failed',
        async () =>
          (await survivor?.cli('CLUSTER', 'INFO'))?.includes('cluster_state:fail') === true,
      )
      const grants = await Promise.all(limits.map((limit) => askTimes(30, counter, [limit])))
      t.equal(counter.isUp(), false)
      t.same(new Set(grants.map(admittedOf)), new Set([24]), 'a quarter of 99 for each')
      t.same(decisionsOf(grants.flat()), ['degraded_admitted', 'degraded_refused'])
      for (const node of cluster.nodes) if (node !== survivor) await node.restart()
      await until('the counter counts in Redis', () => counter.isUp())
      t.match(
        await counter.peek(limits),
        limits.map(() => ({ count: 25 })),
      )
    },
  )
})

t.test(
  'of a primary that died without a replica, no node that gets its slots beside its own grants a second limit',
  { skip, timeout: 300_000 },
  async (t) => {
    const cluster = await startRedisCluster()
    t.teardown(() => cluster.stop())
    const [dead, heir] = cluster.nodes
    if (dead === undefined || heir === undefined) throw new Error('no nodes')
    const limits = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const limit = limitOf(`orphan-${index}`)
        return { limit, slot: await cluster.slotOf(limit.bucket) }
      }),
    )
    // The dead one's are given away in two steps; after the first it has others still.
    const middle = 2700
    const first = limits.find(({ slot }) => slot < middle)?.limit
    const second = limits.find(({ slot }) => slot >= middle && slot < 5400)?.limit
    const own = limits.find(({ slot }) => slot >= 5500 && slot < 10_900)?.limit
    if (first === undefined || second === undefined || own === undefined) {
      throw new Error('no application for one of the nodes')
    }
    const losses = { a: 0, b: 0 }
    const watched = (process: keyof typeof losses) => ({
      deadlineMs: 500,
      observer: {
        ...noObserver,
        switched(to: string, cause: string) {
          if (to === 'local' && cause === 'lost_counters') losses[process] += 1
        },
      },
    })
    const [a, b] = await Promise.all([
      testCounter(t, cluster, { ...settling, ...watched('a') }),
      testCounter(t, cluster, { ...settling, ...watched('b') }),
    ])
    for (const limit of [first, second, own]) {
      t.equal(admittedOf(await askTimes(100, a, [limit])), 100)
    }
    await (await cluster.replicaOf(dead)).kill()
    await dead.kill()
    await until('both are away from Redis', () => !a.isUp() && !b.isUp())
    await until('the slots of the dead node have failed', async () =>
      (await heir.cli('CLUSTER', 'INFO')).includes('cluster_slots_fail:5462'),
    )

    /** What a node reports to b about it, once one decides. */
    async function decisionOn(limit: BucketLimit): Promise<string> {
      let decision = ''
      await until('a node decides', async () => {
        decision = (await ask(b, [limit], 'deny')).decision
        return decision !== 'degraded_refused'
      })
      return decision
    }
    await cluster.seize(0, middle - 1, heir)
    t.equal(await decisionOn(first), 'refused')
    t.equal(await decisionOn(own), 'refused', 'what the node counted before is as it was')
    await cluster.seize(middle, 5461, heir)
    t.equal(await decisionOn(second), 'refused')
    await until('both count in Redis', () => a.isUp() && b.isUp())
    t.match(await b.peek([first, second, own]), [{ count: 100 }, { count: 100 }, { count: 100 }])
    t.ok(
      losses.a <= 4 && losses.b <= 4,
      'for each step once, or twice: as another process knew it first',
    )
  },
)
