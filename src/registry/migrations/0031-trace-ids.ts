import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The trace of a recorded call, 32 hexadecimal digits; null: recorded by an earlier release. */
export const traceIds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table call_records add column trace_id text`.execute(db)
  },
}
