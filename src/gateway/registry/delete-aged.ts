import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from './schema.ts'

/** Rows deleted at a time. */
const rowsMax = 50_000

/**
 * Deletes rows whose `at` is more than `days` ago, at most 50,000 at a time.
 * Several processes may do so at once. Locks no row first: that needs the right
 * to change rows, which the role that serves does not have.
 */
export async function deleteAged(
  db: Kysely<RegistrySchema>,
  table: 'audit_personal' | 'security_events',
  days: number,
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)}
      where at < now() - make_interval(days => ${days})
      limit ${rowsMax}
    ))`.execute(db)
}
