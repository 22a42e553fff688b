import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The application whose test certificate was revoked, so that the list keeps only the newest of each application. */
export const sandboxRevocations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table sandbox_revocations
      add column application_id uuid references applications on delete cascade`.execute(db)
  },
}
