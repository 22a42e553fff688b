import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Finds the newest consents of an application without reading all consents. */
export const consentsMigration: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`create index consents_application on bank.consents (application_id, created_at)`.execute(
      database,
    )
  },
}
