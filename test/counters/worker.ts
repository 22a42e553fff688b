// A gateway process reduced to its counter, for tests that need real ones. The first
// message says how to make the counter, each later one which calls to make.
import type { BucketLimit, Counter } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { createRedisCounter } from '../../src/gateway/counters/redis/redis-counter.ts'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'
import { until } from '../support/until.ts'
import { admittedOf, ask, askTimes, bucketOf, silent } from './rig.ts'

/** How a worker counts. */
export type WorkerSetup =
  | { readonly url: string; readonly processes: number }
  | { readonly journalPath: string }

/** What a worker does next. */
interface WorkerTask {
  readonly limits: readonly BucketLimit[]
  /** Number of concurrent calls; undefined: one after the other forever, each reported when it is admitted. */
  readonly times?: number
}

/** Makes one call on each bucket `name:from`, `name:from+step`, … below `to`, each limited to a single call. */
export interface SingleCallsTask {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly step: number
}

process.once('message', (setup: WorkerSetup) => {
  const made =
    'url' in setup
      ? // A long deadline, so that a busy machine does not look like an outage.
        createRedisCounter({
          address: parseRedisAddress(setup.url),
          processes: setup.processes,
          isAdmitting: true,
          deadlineMs: 1000,
          log: silent,
        })
      : createMemoryCounter({ ...setup, log: silent })
  made.then(
    (counter) => {
      process.on('message', (task: WorkerTask | SingleCallsTask) => {
        void ('name' in task ? callEach(counter, task) : work(counter, task))
      })
      process.send?.({ isReady: true })
    },
    (error: NodeJS.ErrnoException) => process.send?.({ error: error.code }),
  )
})
process.once('disconnect', () => process.exit())

async function work(counter: Counter, { limits, times }: WorkerTask): Promise<void> {
  if (times !== undefined) {
    process.send?.({ grants: await askTimes(times, counter, limits) })
    return
  }
  for (;;) {
    const grant = await ask(counter, limits)
    if (grant.admitted) process.send?.({ grants: [grant] })
  }
}

/** Repeats each call that was decided without the store, until the store has decided all of them. */
async function callEach(counter: Counter, task: SingleCallsTask): Promise<void> {
  const { name, from, to, step } = task
  const names = Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step)
  let admitted = 0
  for (let at = 0; at < names.length; at += turnMax) {
    const turn = names.slice(at, at + turnMax)
    admitted += await admitEach(
      counter,
      turn.map((n) => ({ ...bucketOf(`${name}:${n}`), calls: 1 })),
    )
  }
  process.send?.({ admitted })
}

/** Buckets in one turn of the event loop, and so in one script call. */
const turnMax = 1000

async function admitEach(counter: Counter, limits: readonly BucketLimit[]): Promise<number> {
  let left = limits
  let admitted = 0
  await until('the store has decided each call', async () => {
    const grants = await Promise.all(left.map((limit) => ask(counter, [limit])))
    admitted += admittedOf(grants)
    left = left.filter((_, n) => grants[n]?.decision.startsWith('degraded'))
    return left.length === 0
  })
  return admitted
}
