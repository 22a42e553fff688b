import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneAged } from './calls/prune-records.ts'
import { type Repetition, repeat } from './repeat.ts'
import { pruneUsage, rollUp } from './usage/roll-up.ts'

const rollUpEveryMs = 5_000
/** Since anybody did it last; less than between two tries, so that a timer's jitter skips none. */
const rolledUpSeconds = 4
const pruneEveryMs = 60_000

/**
 * Rolls usage up and deletes what has been kept long enough, as long as the
 * process lives. Any number of processes may do it: one at a time does.
 */
export function keepRecords(options: {
  readonly db: Kysely<RegistrySchema>
  readonly log: Pick<Logger, 'warn'>
}): Repetition {
  const { db, log } = options
  let prunedAt = 0
  let isFailing = false

  async function keep(): Promise<void> {
    try {
      const isOurTurn = await rollUp(db, rolledUpSeconds)
      isFailing = false
      if (!isOurTurn) return
      if (Date.now() - prunedAt < pruneEveryMs) return
      prunedAt = Date.now()
      await pruneUsage(db)
      await pruneAged(db)
    } catch (error) {
      // The next time makes up for it, so the first of a row is enough.
      if (!isFailing) log.warn({ err: error }, 'usage not rolled up')
      isFailing = true
    }
  }

  return repeat(rollUpEveryMs, keep)
}
