import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import type { JobMetrics } from '../../platform/process/job-metrics.ts'
import { type Repetition, repeatedly } from '../../platform/process/repeatedly.ts'
import { consolidateOutages, pruneAvailability } from '../availability/consolidate.ts'
import type { Keys } from '../keys/keys.ts'
import type { RegistrySchema } from '../schema.ts'
import { pruneAged } from './prune-records.ts'
import { pruneUsage } from './prune-usage.ts'

const everyMs = 60_000

/**
 * Deletes expired usage and call records, and keys that stopped working long
 * ago, and makes outages of settled slices, for as long as the process lives.
 * Several processes may do so at once. A step that fails holds up no other.
 */
export function keepRecords(options: {
  readonly db: Kysely<RegistrySchema>
  readonly keys: Pick<Keys, 'prune'>
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn'>
}): Pick<Repetition, 'close'> {
  const { db, keys, jobs, log } = options
  let isClosing = false
  const isStopped = () => isClosing
  const repetitions = [
    repeatedly({
      everyMs,
      onSuccess: jobs.watch('old usage and keys', everyMs),
      work: () =>
        inTurn([
          () => pruneUsage(db, isStopped),
          () => pruneAged(db, isStopped),
          () => keys.prune(),
          () => pruneAvailability(db),
        ]),
      // The next run deletes what this one missed.
      onFailure: (err) => log.warn({ err }, 'old usage and keys not deleted'),
    }),
    repeatedly({
      everyMs,
      onSuccess: jobs.watch('outages', everyMs),
      work: () => consolidateOutages(db),
      onFailure: (err) => log.warn({ err }, 'outages not settled'),
    }),
  ]
  return {
    async close() {
      isClosing = true
      await Promise.all(repetitions.map((repetition) => repetition.close()))
    },
  }
}

/** Runs each step, even after one that failed. @throws the first failure */
async function inTurn(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) await step().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
