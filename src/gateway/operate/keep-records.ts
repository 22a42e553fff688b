import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log.ts'
import { type Repetition, repeatedly } from '../../platform/repeatedly.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneAged } from './calls/prune-records.ts'
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

  async function keep(): Promise<void> {
    const isOurTurn = await rollUp(db, rolledUpSeconds)
    if (!isOurTurn || Date.now() - prunedAt < pruneEveryMs) return
    prunedAt = Date.now()
    await pruneUsage(db)
    await pruneAged(db)
  }

  return repeatedly({
    everyMs: rollUpEveryMs,
    work: keep,
    // The next time makes up for it.
    onFailure: (err) => log.warn({ err }, 'usage not rolled up'),
  })
}
