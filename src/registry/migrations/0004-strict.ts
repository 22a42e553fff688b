import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Applications whose calls the bank accepts only when signed. */
export const strict: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table applications add column strict boolean not null default false`.execute(db)
  },
}
