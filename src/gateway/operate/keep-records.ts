import type { Kysely } from 'kysely'
import type { JobMetrics } from '../../platform/job-metrics.ts'
import type { Logger } from '../../platform/log.ts'
import { type Repetition, repeatedly } from '../../platform/repeatedly.ts'
import { consolidateOutages, pruneAvailability } from '../registry/availability/consolidate.ts'
import type { Keys } from '../registry/keys.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneAged } from './calls/prune-records.ts'
import { pruneUsage } from './usage/prune-usage.ts'

const everyMs = 60_000

/**
 * Deletes expired usage and call records, and keys that stopped working long
 * ago, and makes outages of settled slices, for as long as the process lives.
 * Several processes may do so at once.
 */
export function keepRecords(options: {
  readonly db: Kysely<RegistrySchema>
  readonly keys: Pick<Keys, 'prune'>
  readonly jobs: JobMetrics
  readonly log: Pick<Logger, 'warn'>
}): Repetition {
  const { db, keys, jobs, log } = options
  const onSuccess = jobs.watch('old usage and keys', everyMs)
  let isClosing = false
  const isStopped = () => isClosing
  const repetition = repeatedly({
    everyMs,
    onSuccess,
    async work() {
      await pruneUsage(db, isStopped)
      await pruneAged(db, isStopped)
      await keys.prune()
      await consolidateOutages(db)
      await pruneAvailability(db)
    },
    // The next run deletes what this one missed.
    onFailure: (err) => log.warn({ err }, 'old usage and keys not deleted, or outages not settled'),
  })
  return {
    ...repetition,
    close() {
      isClosing = true
      return repetition.close()
    },
  }
}
