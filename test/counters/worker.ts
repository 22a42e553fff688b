// A gateway process reduced to its counter, for tests that need real ones. The first
// message says how to make the counter, each later one how many calls to make at once.
import type { BucketLimit } from '../../src/gateway/counters/counter.ts'
import { createMemoryCounter } from '../../src/gateway/counters/memory-counter.ts'
import { createRedisCounter } from '../../src/gateway/counters/redis-counter.ts'
import { parseRedisAddress } from '../../src/platform/redis-address.ts'
import { ask, askTimes, silent } from './rig.ts'

/** How a worker counts. */
export type WorkerSetup =
  | { readonly url: string; readonly processes: number }
  | { readonly journalPath: string }

/** What a worker does next. */
export interface WorkerTask {
  readonly limits: readonly BucketLimit[]
  /** So many at once; or, without it, one after the other for ever, each reported when it is admitted. */
  readonly times?: number
}

const counter = Promise.withResolvers<Awaited<ReturnType<typeof createMemoryCounter>>>()

process.once('message', (setup: WorkerSetup) => {
  const made =
    'url' in setup
      ? // Patient: a busy machine is no outage.
        createRedisCounter({
          address: parseRedisAddress(setup.url),
          processes: setup.processes,
          deadlineMs: 1000,
          log: silent,
        })
      : createMemoryCounter({ ...setup, log: silent })
  made.then(
    (ready) => {
      counter.resolve(ready)
      process.on('message', (task: WorkerTask) => void work(task))
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
