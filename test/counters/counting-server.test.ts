import t, { type Test } from 'tap'
import type { BucketLimit, Grant } from '../../src/gateway/counters/counter.ts'
import { CallBatch } from '../../src/gateway/counters/redis/call-batch.ts'
import { createCatchUp } from '../../src/gateway/counters/redis/catch-up.ts'
import { placeInSlot } from '../../src/gateway/counters/redis/cluster/cluster-slots.ts'
import { sendToNode } from '../../src/gateway/counters/redis/cluster/node-sending.ts'
import { redirectionOf } from '../../src/gateway/counters/redis/cluster/redirection.ts'
import { pushBySlot } from '../../src/gateway/counters/redis/cluster/slotted-push.ts'
import { noObserver } from '../../src/gateway/counters/redis/counter-observer.ts'
import { createCountingServer } from '../../src/gateway/counters/redis/counting-server.ts'
import { grantScript } from '../../src/gateway/counters/redis/grant-script.ts'
import { createLocalShares } from '../../src/gateway/counters/redis/local-shares.ts'
import { createSeenCounts } from '../../src/gateway/counters/redis/seen-counts.ts'
import { createStoreClock } from '../../src/gateway/counters/redis/store-clock.ts'
import { Roster } from '../../src/platform/roster.ts'
import { freePort } from '../support/free-port.ts'
import { type RedisServer, redisMissing, testRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { alone, bucketOf, silent } from './rig.ts'
import { shiftClock } from './shifted-clock.ts'

const skip = redisMissing()
const place = placeInSlot(0)

/** A cluster of one node for all tests, because one takes two seconds until it serves. */
let started: Promise<RedisServer> | undefined

/** It holds nothing. */
async function emptyNode(): Promise<RedisServer> {
  started ??= startNode()
  const redis = await started
  await redis.cli('FLUSHALL')
  await redis.cli('SCRIPT', 'FLUSH')
  await redis.cli('CONFIG', 'RESETSTAT')
  return redis
}

async function startNode(): Promise<RedisServer> {
  // By default the bus takes the port 10,000 above, where the system gives ports to connections.
  const port = String(await freePort())
  const args = [
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    port,
    '--cluster-require-full-coverage',
    'no',
  ]
  const redis = await testRedis(t, { args })
  await redis.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await until('the cluster is ready', async () =>
    (await redis.cli('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  )
  return redis
}

/** That counts as an outage: on the busiest machine a server answers sooner. */
const silenceMs = 60_000

/** What a process has of counting on it. Nothing beats: it looks at the marker only when it asks. */
async function testServer(t: Test, redis: RedisServer, settleMs = 0) {
  const monotonic = () => performance.now()
  const storeClock = createStoreClock({ now: Date.now, monotonic })
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({
    division: alone,
    seen,
    monotonic,
    clockOf: () => storeClock,
  })
  const inFlight = new Roster<CallBatch>()
  function decideAlone(batch: CallBatch): void {
    for (const { limits, onOutage, done } of batch.calls()) done(shares.decide(limits, onOutage))
  }
  const server = createCountingServer({
    address: {
      topology: 'single',
      username: undefined,
      password: undefined,
      isEncrypted: false,
      server: { host: '127.0.0.1', port: redis.port },
      database: 0,
    },
    part: {
      name: undefined,
      isClusterNode: true,
      runIdOtherwise: '',
      push: pushBySlot,
      isOurs: () => true,
      ownBuckets: async () => () => true,
      markerPlace: () => place,
      isComplete: () => true,
      isElsewhere: (error) => redirectionOf(error) !== undefined,
      isMisplaced: () => false,
      onMisplaced: () => undefined,
    },
    living: () => [],
    knowsOthers: () => true,
    seen,
    shares,
    storeClock,
    monotonic,
    log: silent,
    observer: noObserver,
    inFlight,
    isEvictionAllowed: false,
    deadlineMs: silenceMs,
    settleMs,
    decideAlone,
    onShared: () => undefined,
    onLost: () => undefined,
    onUnsuitable: () => undefined,
  })
  t.teardown(() => server.close())
  await until('the server decides calls', () => server.decidesCalls())

  /** @param deadlineMs shorter than the silence that counts as an outage, so that the server stays shared */
  async function ask(limit: BucketLimit, deadlineMs: number): Promise<Grant> {
    const grant = await new Promise<Grant>((done) => {
      const batch = new CallBatch()
      batch.add({ limits: [limit], onOutage: 'local-share', done })
      const node = { server, monotonic, onRedirected: decideAlone, onMisplaced: () => undefined }
      sendToNode(node, [batch], { deadlineAt: monotonic() + deadlineMs, redirections: 0 })
    })
    return grant
  }

  return {
    server,
    seen,
    shares,
    /** Resolves when the answer was dealt with. */
    async ask(limit: BucketLimit): Promise<Grant> {
      const grant = await ask(limit, silenceMs / 2)
      await until('no command is under way', () => inFlight.size === 0)
      return grant
    },
    /** The server runs it, but only when the deadline has passed. */
    async askLate(limit: BucketLimit): Promise<Grant> {
      redis.suspend()
      const grant = await ask(limit, 20)
      redis.resume()
      await until('no command is under way', () => inFlight.size === 0)
      return grant
    },
  }
}

t.test(
  'a reply that is late, from a node that lost its counters, confirms nothing: what it carried is sent again',
  { skip },
  async (t) => {
    const redis = await emptyNode()
    const { server, shares, askLate } = await testServer(t, redis)
    const limit = { ...bucketOf('late'), calls: 100 }
    shares.decide([limit], 'local-share')
    await redis.cli('DEL', place.key)
    t.equal((await askLate(limit)).decision, 'degraded_admitted')
    await until('the server decides calls', () => server.decidesCalls())
    // The late reply added 1 and granted 1, on which no call relies; then both calls decided without it.
    await until('the store knows four calls', async () =>
      (await redis.cli('GET', limit.bucket)).endsWith(' 0 4'),
    )
  },
)

t.test(
  'a reply that is late, from a node that has its counters, confirms what came with it and is remembered',
  { skip },
  async (t) => {
    const { seen, shares, askLate } = await testServer(t, await emptyNode())
    const limit = { ...bucketOf('late'), calls: 100 }
    shares.decide([limit], 'local-share')
    t.equal((await askLate(limit)).decision, 'degraded_admitted')
    t.match(seen.find(limit.bucket, limit.windowLength), { count: 2 })
    t.match(shares.takeAddition(limit.bucket, limit.windowLength), { count: 1 })
  },
)

for (const [cause, windowLength, makeNotRun] of [
  [
    'the node did not have it',
    3600,
    async (redis: RedisServer) => void (await redis.cli('SCRIPT', 'FLUSH')),
  ],
  [
    'it was sent other windows than the current one',
    'P1M@Europe/Berlin',
    async (redis: RedisServer, t: Test) => {
      shiftClock(t).set(Date.now() + 200 * 86_400_000)
      await redis.cli('SCRIPT', 'LOAD', grantScript.text)
    },
  ],
] as const) {
  t.test(
    `a script that is sent again because ${cause} confirms nothing if the node lost its counters before it ran`,
    { skip },
    async (t) => {
      const redis = await emptyNode()
      const { ask } = await testServer(t, redis)
      const limit = { bucket: `tollgate:{app}:again:${windowLength}`, windowLength, calls: 100 }
      t.equal((await ask(limit)).decision, 'admitted')
      await makeNotRun(redis, t)
      const { text } = grantScript
      t.teardown(() => Object.assign(grantScript, { text }))
      // Only the second sending carries the text.
      Object.assign(grantScript, { text: `redis.call('FLUSHALL')\n${text}` })
      const grant = await ask(limit)
      Object.assign(grantScript, { text })
      t.equal(grant.decision, 'degraded_admitted')
    },
  )
}

t.test('a push whose parts ran on a node that had lost its counters is sent again', async (t) => {
  let marker: string | undefined = 'run:7'
  const asked = [{ ...bucketOf('pushed'), floor: undefined, addition: undefined }]
  const told: unknown[] = []
  const push = pushBySlot(asked, {
    marker: 7,
    readMarker: async () => marker,
    // Stands for a script that is sent again, and runs after the loss.
    async pushPart() {
      await Promise.resolve()
      marker = undefined
      return true
    },
    giveBack: (additions) => told.push(additions),
  })
  await t.rejects(push, { name: 'CountersLostError' })
  t.same(told, [asked])
})

t.test('when one part of a push failed, what the other parts carried is sent again', async (t) => {
  const [one, two] = ['one', 'two'].map((name) => ({
    bucket: `tollgate:{${name}}:xs2a:3600`,
    windowLength: 3600 as const,
    floor: undefined,
    addition: undefined,
  }))
  if (one === undefined || two === undefined) throw new Error('no buckets')
  const told: unknown[] = []
  const push = pushBySlot([one, two], {
    marker: 7,
    readMarker: async () => 'run:7',
    async pushPart([asked]) {
      if (asked === two) throw new Error('no reply in time')
      return true
    },
    giveBack: (additions) => told.push(additions),
  })
  await t.rejects(push, { message: 'no reply in time' })
  t.same(told, [[one]])
})

t.test(
  'calls of more buckets than one request carries are sent, though some of them move',
  async (t) => {
    const monotonic = () => 0
    const seen = createSeenCounts({ monotonic })
    const shares = createLocalShares({
      division: alone,
      seen,
      monotonic,
      clockOf: () => createStoreClock({ now: () => 0, monotonic }),
    })
    const names = Array.from({ length: 1_200 }, (_, at) => `bucket-${at}`)
    for (const name of names) shares.decide([{ ...bucketOf(name), calls: 1 }], 'local-share')
    const moving = bucketOf('bucket-7').bucket
    const sent: string[] = []
    const unused = () => t.fail('is not used')
    const catchUp = createCatchUp({
      connection: { ask: unused, get: unused } as never,
      part: {
        isOurs: () => true,
        ownBuckets: async () => () => true,
        isElsewhere: () => false,
        async push(asked, { giveBack }) {
          giveBack(asked.filter(({ bucket }) => bucket === moving))
          for (const { bucket } of asked) if (bucket !== moving) sent.push(bucket)
          return asked.every(({ bucket }) => bucket !== moving)
        },
      },
      seen,
      shares,
      clock: { learn: () => 0 },
      settleMs: 0,
      onHeard: unused,
      onCounts: unused,
    })
    const last = await catchUp.pushMost(place, 7)
    t.equal(sent.length + last.length, names.length - 1)
    t.match(
      shares.takeOwing(10, () => true),
      [{ bucket: moving }],
    )
  },
)

t.test(
  'what a process knows of a slot that no node serves is not lost: it returns only when it has brought it',
  { skip },
  async (t) => {
    const redis = await emptyNode()
    const { server, ask } = await testServer(t, redis)
    const limit = { ...bucketOf('unserved'), calls: 1 }
    t.equal((await ask(limit)).decision, 'admitted')
    const slot = await redis.cli('CLUSTER', 'KEYSLOT', limit.bucket)
    await redis.cli('CLUSTER', 'DELSLOTS', slot)
    await redis.cli('FLUSHALL')
    server.mode.lost('slots came without their counters')
    await until('the cluster has refused a command', async () =>
      (await redis.cli('INFO', 'errorstats')).includes('CLUSTERDOWN'),
    )
    await redis.cli('CLUSTER', 'ADDSLOTS', slot)
    await until('the server decides calls', () => server.decidesCalls())
    t.match(await redis.cli('GET', limit.bucket), / 0 1$/, 'the server has the count')
  },
)

t.test(
  'when slots came without their counters, one process replaces the marker and all bring what they know before the node counts',
  { skip },
  async (t) => {
    const redis = await emptyNode()
    const settleMs = 1_000
    const clock = shiftClock(t)
    clock.stop(Date.now())
    const readMarker = () => redis.cli('GET', place.key)
    const opening = Promise.all([1, 2].map(() => testServer(t, redis, settleMs)))
    await until('there is a marker', async () => (await readMarker()) !== '')
    clock.pass(settleMs)
    const [a, b] = await opening
    if (a === undefined || b === undefined) throw new Error('no servers')
    const limits = ['one', 'two'].map((name) => ({ ...bucketOf(name), calls: 1 }))
    const [one, two] = limits
    if (one === undefined || two === undefined) throw new Error('no limits')
    t.match([await a.ask(one), await b.ask(two)], [{ admitted: true }, { admitted: true }])
    const marker = await readMarker()
    await redis.cli('DEL', one.bucket, two.bucket)

    a.server.mode.lost('slots came without their counters')
    t.equal(a.server.decidesCalls(), false)
    await until('the marker is new', async () => (await readMarker()) !== marker)
    const replaced = await readMarker()
    // The other process notices the loss while the marker is fresh.
    clock.pass(100)
    b.server.mode.lost('slots came without their counters')
    await until('both bring what they know', async () => {
      const counts = await Promise.all([one, two].map(({ bucket }) => redis.cli('GET', bucket)))
      return counts.every((count) => count.endsWith(' 0 1'))
    })
    t.notOk(a.server.decidesCalls() || b.server.decidesCalls(), 'the node does not count yet')
    clock.pass(settleMs)
    await until(
      'both servers decide calls',
      () => a.server.decidesCalls() && b.server.decidesCalls(),
    )
    t.equal(await readMarker(), replaced)
    t.match(
      [await a.ask(two), await b.ask(one)],
      [{ decision: 'refused' }, { decision: 'refused' }],
    )

    // Another loss, of which nothing is settled yet.
    a.server.mode.lost('slots came without their counters')
    await until('the marker is another one', async () => (await readMarker()) !== replaced)
    clock.pass(settleMs)
    await until('the first server decides calls', () => a.server.decidesCalls())
  },
)
