import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** How a process counts: `alone`, or `shared` with others; null: it admits no calls, or is of an earlier release. */
export const counting: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table processes add column counts text check (counts in ('alone', 'shared'))`.execute(
      db,
    )
  },
}
