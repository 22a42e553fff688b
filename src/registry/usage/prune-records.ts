import { type Kysely, sql } from 'kysely'
import { inPortions } from '../in-portions.ts'
import type { RegistrySchema } from '../schema.ts'
import { recordsKept, recordsKeptHours } from './call-records.ts'

/**
 * Deletes all but the newest 1,000 records of each of these applications. Skips
 * rows that another process is deleting.
 */
export async function pruneOverflow(
  db: Kysely<RegistrySchema>,
  applicationIds: readonly string[],
): Promise<void> {
  await sql`
    delete from call_records where ctid = any(array(
      select r.ctid
      from unnest(${applicationIds}::uuid[]) as given(id)
      cross join lateral (
        select n.at, n.id from call_records n
        where n.application_id = given.id
        order by n.at desc, n.id desc offset ${recordsKept} limit 1
      ) as surplus
      join call_records r
        on r.application_id = given.id and (r.at, r.id) <= (surplus.at, surplus.id)
      for update of r skip locked
    ))`.execute(db)
}

/** Deletes records older than 24 hours, in batches. Reads the index once per application. */
export function pruneAged(db: Kysely<RegistrySchema>, isStopped?: () => boolean): Promise<void> {
  return inPortions(async (rows) => {
    const { numAffectedRows = 0n } = await sql`
      delete from call_records where ctid = any(array(
        select r.ctid from call_records r
        join applications a on r.application_id = a.id
        where r.at < now() - make_interval(hours => ${recordsKeptHours})
        limit ${rows} for update of r skip locked
      ))`.execute(db)
    return Number(numAffectedRows)
  }, isStopped)
}
