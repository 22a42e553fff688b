import { type Kysely, sql } from 'kysely'
import { inPortions } from '../in-portions.ts'
import type { RegistrySchema } from '../schema.ts'

/** How long counts are kept: per minute, per hour and per day. */
const kept = [
  ['usage_minutes', '48 hours'],
  ['usage_hours', '60 days'],
  ['usage_days', '400 days'],
] as const

/** Deletes expired counts in batches. Skips rows that another process is deleting. */
export async function pruneUsage(
  db: Kysely<RegistrySchema>,
  isStopped?: () => boolean,
): Promise<void> {
  for (const [table, age] of kept) {
    await inPortions(async (rows) => {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where at < now() - ${age}::interval
          limit ${rows} for update skip locked
        ))`.execute(db)
      return Number(numAffectedRows)
    }, isStopped)
  }
}
