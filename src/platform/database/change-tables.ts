import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { DatabaseError } from 'pg'

/** An advisory lock of PostgreSQL: "migrate" in ASCII. */
const lockId = 0x6d_69_67_72_61_74_65n

/** Statements of calls queue behind one that waits for a lock, and a gateway gives up after one second. */
const lockTimeoutMs = 400
const lockAttempts = 120
const lockPauseMs = 500

/**
 * Changes tables in one transaction, one process at a time. Processes that serve
 * on the same tables are not held up: a change that does not get a table at once
 * lets them go on, and tries again for a minute and a half.
 */
export async function changeTables<Result>(
  db: Kysely<unknown>,
  change: (trx: Transaction<unknown>) => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(lockId)})`.execute(trx)
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(trx)
        return change(trx)
      })
    } catch (error) {
      if (!isLocked(error) || attempts === lockAttempts) throw error
      await delay(lockPauseMs)
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}
