import t, { type Test } from 'tap'
import { type CallBatch, createCallBatch } from '../../src/gateway/counters/call-batch.ts'
import type { Grant } from '../../src/gateway/counters/counter.ts'
import { noObserver } from '../../src/gateway/counters/counter-observer.ts'
import { createCountingServer } from '../../src/gateway/counters/counting-server.ts'
import { placeInSlot } from '../../src/gateway/counters/grant-script.ts'
import { hashSlot } from '../../src/gateway/counters/hash-slot.ts'
import { createLocalShares } from '../../src/gateway/counters/local-shares.ts'
import { createSeenCounts } from '../../src/gateway/counters/seen-counts.ts'
import { Roster } from '../../src/platform/roster.ts'
import { redisMissing } from '../support/redis-server.ts'
import { testRedis, until } from './redis-rig.ts'
import { bucketOf, silent } from './rig.ts'

const skip = redisMissing()

/** A cluster of one node, and what a process has of counting on it, which looks at the marker only when it asks. */
async function testNode(t: Test) {
  const redis = await testRedis(t, { args: ['--cluster-enabled', 'yes'] })
  await redis.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await until(async () => (await redis.cli('CLUSTER', 'INFO')).includes('cluster_state:ok'))
  const monotonic = () => performance.now()
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({
    ...{ processes: () => 1, seen, monotonic },
    clockOf: () => ({ now: Date.now }),
  })
  const place = placeInSlot(0)
  const inFlight = new Roster<CallBatch>()
  function decideAlone(batch: CallBatch): void {
    for (const { limits, onOutage, done } of batch.calls()) done(shares.decide(limits, onOutage))
  }
  const server = createCountingServer({
    address: {
      ...{ topology: 'single', username: undefined, password: undefined, isEncrypted: false },
      ...{ server: { host: '127.0.0.1', port: redis.port }, database: 0 },
    },
    ...{ node: undefined, markerPlace: () => place, runIdOtherwise: '', isComplete: () => true },
    buckets: { slotOf: hashSlot, isOurs: () => true, areSlotted: true },
    ...{ seen, shares, now: Date.now, monotonic, log: silent, observer: noObserver, inFlight },
    ...{ isEvictionAllowed: false, deadlineMs: 20, settleMs: 0, decideAlone },
    onRedirected: decideAlone,
    onMisplaced: () => undefined,
    onShared: () => undefined,
    onLost: () => undefined,
    onUnsuitable: () => undefined,
  })
  t.teardown(() => server.close())
  await until(() => server.isShared())
  const limit = { ...bucketOf('late'), calls: 100 }
  return {
    ...{ redis, place, server, seen, shares, limit },
    /** A call the server runs, but answers after its deadline; resolves when that answer was dealt with. */
    async askLate(): Promise<Grant> {
      await redis.cli('CLIENT', 'PAUSE', '60', 'ALL')
      const grant = await new Promise<Grant>((done) => {
        const batch = createCallBatch()
        batch.add({ limits: [limit], onOutage: 'local-share', done })
        server.send([batch])
      })
      await until(() => inFlight.size === 0)
      return grant
    },
  }
}

t.test(
  'a reply that is late, from a node that lost its counters, confirms nothing: what came with it is told again',
  { skip },
  async (t) => {
    const { redis, place, server, shares, limit, askLate } = await testNode(t)
    shares.decide([limit], 'local-share')
    await redis.cli('DEL', place.key)
    t.equal((await askLate()).decision, 'degraded_admitted')
    await until(() => server.isShared())
    // Of the late reply 1 added and 1 granted, on which nobody relies; then both calls decided without it.
    await until(async () => (await redis.cli('GET', limit.bucket)).endsWith(' 0 4'))
  },
)

t.test(
  'a reply that is late, from a node that has its counters, confirms what came with it and is remembered',
  { skip },
  async (t) => {
    const { seen, shares, limit, askLate } = await testNode(t)
    shares.decide([limit], 'local-share')
    t.equal((await askLate()).decision, 'degraded_admitted')
    t.match(seen.find(limit.bucket, limit.windowSeconds), { count: 2 })
    t.match(shares.takeAddition(limit.bucket, limit.windowSeconds), { count: 1 })
  },
)
