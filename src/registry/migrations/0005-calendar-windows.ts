import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Calls under a limit with calendar windows. */
export const calendarWindows: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table call_records add column calendar_window text`.execute(db)
  },
}
