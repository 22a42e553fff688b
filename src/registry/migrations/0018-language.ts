import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The language of mails to a developer; null: not known yet. */
export const language: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table developers
      add column language text check (language in ('en', 'he'))`.execute(db)
  },
}
