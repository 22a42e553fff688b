import t from 'tap'
import { testCounter } from '../../test/counters/redis-rig.ts'
import { ask, askTimes, bucketOf } from '../../test/counters/rig.ts'
import { redisMissing, testRedis } from '../../test/support/redis-server.ts'
import { startFaultProxy } from '../faults/fault-proxy.ts'

t.test(
  'what a refusal says of the end of its window does not depend on how long it was on its way',
  { skip: redisMissing() },
  async (t) => {
    const server = await testRedis(t)
    const proxy = await startFaultProxy(server.port)
    t.teardown(() => proxy.close())
    const counter = await testCounter(
      t,
      { url: `redis://127.0.0.1:${proxy.port}` },
      { deadlineMs: 1000 },
    )
    const bucket = bucketOf('late')
    const limits = [{ ...bucket, calls: 2 }]
    await ask(counter, [{ ...bucketOf('early'), calls: 2 }])
    proxy.trouble({ kind: 'delay', leastMs: 60, mostMs: 60, seed: 1 })
    const grants = await askTimes(3, counter, limits)
    const known = await ask(counter, limits)
    const yearMs = bucket.windowLength * 1000
    const leftMs = yearMs - (Date.now() % yearMs)
    t.equal(grants[2]?.decision, 'refused')
    t.equal(known.decision, 'refused_local')
    for (const { retryAfterMs } of [grants[2] ?? known, known]) {
      t.ok(retryAfterMs >= leftMs, 'never too early')
      t.ok(retryAfterMs < leftMs + 30, `${retryAfterMs - leftMs} ms too late`)
    }
  },
)
