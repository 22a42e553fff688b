import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Drops the indexes of a job that is gone: reads compare the end of a consent or mandate themselves. */
export const endsMigration: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`drop index bank.consents_due, bank.mandates_due`.execute(database)
  },
}
