import { type Kysely, sql } from 'kysely'
import { inPortions } from './in-portions.ts'
import type { RegistrySchema } from './schema.ts'

/** The lock of each table's deletion. */
const locks = { audit_personal: 7_309_417_001, security_events: 7_309_417_002 } as const

/**
 * Deletes rows whose `at` is more than `days` ago, in batches. Several
 * processes may do so at once: one deletes, the others leave it to that one.
 * Locks no row first: that needs the right to change rows, which the role that
 * serves does not have.
 */
export function deleteAged(
  db: Kysely<RegistrySchema>,
  table: keyof typeof locks,
  days: number,
  isStopped?: () => boolean,
): Promise<void> {
  return inPortions(async (rows) => {
    const { numAffectedRows = 0n } = await sql`
      with turn as materialized (select pg_try_advisory_xact_lock(${locks[table]}::bigint) as is_ours)
      delete from ${sql.table(table)} where (select is_ours from turn) and ctid = any(array(
        select ctid from ${sql.table(table)}
        where at < now() - make_interval(days => ${days})
        limit ${rows}
      ))`.execute(db)
    return Number(numAffectedRows)
  }, isStopped)
}
