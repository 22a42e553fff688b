import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log.ts'
import { type Repetition, repeatedly } from '../../platform/repeatedly.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneAged } from './calls/prune-records.ts'
import { pruneUsage } from './usage/prune-usage.ts'

const everyMs = 60_000

/**
 * Deletes expired usage and call records for as long as the process lives.
 * Several processes may do so at once.
 */
export function keepRecords(options: {
  readonly db: Kysely<RegistrySchema>
  readonly log: Pick<Logger, 'warn'>
}): Repetition {
  const { db, log } = options
  return repeatedly({
    everyMs,
    async work() {
      await pruneUsage(db)
      await pruneAged(db)
    },
    // The next run deletes what this one missed.
    onFailure: (err) => log.warn({ err }, 'old usage not deleted'),
  })
}
