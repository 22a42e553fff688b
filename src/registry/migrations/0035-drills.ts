import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The answer that a recorded call asked for as a drill; null: a call. */
export const drills: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table call_records add column drill text`.execute(db)
  },
}
