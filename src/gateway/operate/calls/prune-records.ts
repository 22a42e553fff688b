import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../registry/schema.ts'

/** How many of the newest records of an application are kept. */
export const recordsKept = 1_000
/** How long records are kept. */
export const recordsKeptHours = 24

/**
 * Deletes all but the newest 1,000 records of each of these applications. What
 * another process is deleting is skipped.
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

/** Deletes records older than 24 hours. Looks into the index once for each application. */
export async function pruneAged(db: Kysely<RegistrySchema>): Promise<void> {
  await sql`
    delete from call_records where ctid = any(array(
      select r.ctid from call_records r
      join applications a on r.application_id = a.id
      where r.at < now() - make_interval(hours => ${recordsKeptHours})
      limit ${rowsPerPrune} for update of r skip locked
    ))`.execute(db)
}

/** Aged rows deleted at a time. */
const rowsPerPrune = 50_000
