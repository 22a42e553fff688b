import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log.ts'
import { type Repetition, repeatedly } from '../../platform/repeatedly.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneAged } from './calls/prune-records.ts'
import { pruneUsage } from './usage/prune-usage.ts'

const everyMs = 60_000

/**
 * Deletes what has been kept of calls long enough, as long as the process
 * lives. Any number of processes may do it at once.
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
    // The next time makes up for it.
    onFailure: (err) => log.warn({ err }, 'old usage not deleted'),
  })
}
