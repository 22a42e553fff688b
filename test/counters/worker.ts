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
export interface EachTask {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly step: number
}

const counter = Promise.withResolvers<Awaited<ReturnType<typeof createMemoryCounter>>>()

process.once('message', (setup: WorkerSetup) => {
  const made =
    'url' in setup
      ? // Patient: a busy machine is no outage.
        createRedisCounter({
          address: parseRedisAddress(setup.url),
          processes: setup.processes,
          isAdmitting: true,
          deadlineMs: 1000,
          log: silent,
        })
      : createMemoryCounter({ ...setup, log: silent })
  made.then(
    (ready) => {
      counter.resolve(ready)
      process.on('message', (task: WorkerTask | EachTask) => {
        void ('name' in task ? workEach(task) : work(task))
      })
      process.send?.({ isReady: true })
    },
    (error: NodeJS.ErrnoException) => process.send?.({ error: error.code }),
  )
})
process.once('disconnect', () => process.exit())

async function work({ limits, times }: WorkerTask): Promise<void> {
  const { promise } = counter
  const made = await promise
  if (times !== undefined) {
    process.send?.({ grants: await askTimes(times, made, limits) })
    return
  }
  for (;;) {
    const grant = await ask(made, limits)
    process.send?.({ grants: [grant] })
  }
}

/** Calls decided without the store are made again, until the store has decided each of them. */
async function workEach({ name, from, to, step }: EachTask): Promise<void> {
  const made = await counter.promise
  const names = Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step)
  let admitted = 0
  for (let at = 0; at < names.length; at += turnMax) {
    const turn = names.slice(at, at + turnMax)
    admitted += await admitEach(
      made,
      turn.map((n) => ({ ...bucketOf(`${name}:${n}`), calls: 1 })),
    )
  }
  process.send?.({ admitted })
}

/** Buckets in one turn of the event loop, and so in one script call. */
const turnMax = 1000

async function admitEach(made: Counter, limits: readonly BucketLimit[]): Promise<number> {
  let left = limits
  let admitted = 0
  await until('the store has decided each call', async () => {
    const grants = await Promise.all(left.map((limit) => ask(made, [limit])))
    admitted += admittedOf(grants)
    left = left.filter((_, n) => grants[n]?.decision.startsWith('degraded'))
    return left.length === 0
  })
  return admitted
}
