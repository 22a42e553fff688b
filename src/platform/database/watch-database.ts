import { sql } from 'kysely'
import type { Logger } from '../log/log.ts'
import type { Lifetime } from '../process/lifetime.ts'
import { repeatedly } from '../process/repeatedly.ts'
import type { Database } from './database.ts'

export interface WatchDatabaseOptions {
  readonly database: Pick<Database, 'connect'>
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly lifetime: Lifetime
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

const everyMs = 1_000
/** Two answers may be missing. */
const upMs = 3_000

/**
 * Asks the database every second whether it answers, for a process that would
 * not notice otherwise.
 *
 * @returns whether it answered within the last three seconds
 */
export function watchDatabase(options: WatchDatabaseOptions): () => boolean {
  const { database, log, lifetime, monotonic } = options
  const db = database.connect({ statementTimeoutMs: everyMs })
  let answeredAt = monotonic()
  let isFailing = false
  const asking = repeatedly({
    everyMs,
    async work() {
      await sql`select 1`.execute(db)
      answeredAt = monotonic()
      if (isFailing) log.info({}, 'the database answers again')
      isFailing = false
    },
    onFailure(err) {
      isFailing = true
      log.warn({ err }, 'the database does not answer')
    },
  })
  lifetime.opened(() => asking.close())
  return () => monotonic() - answeredAt < upMs
}
