import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../registry/schema.ts'

/** How long counts are kept: per minute, per hour and per day. */
const kept = [
  ['usage_minutes', '48 hours'],
  ['usage_hours', '60 days'],
  ['usage_days', '400 days'],
] as const

/** Rows deleted at a time, few enough to stay well below the statement timeout. */
const rowsPerPrune = 50_000

/** Deletes expired counts. Skips rows that another process is deleting. */
export async function pruneUsage(db: Kysely<RegistrySchema>): Promise<void> {
  for (const [table, age] of kept) {
    let deleted: bigint | undefined
    do {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where at < now() - ${age}::interval
          limit ${rowsPerPrune} for update skip locked
        ))`.execute(db)
      deleted = numAffectedRows
    } while (deleted === BigInt(rowsPerPrune))
  }
}
