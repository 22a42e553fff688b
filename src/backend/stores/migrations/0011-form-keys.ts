import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Gives each authorisation a random key of 244 bits, which signs the forms of its pages in every process. */
export const formKeysMigration: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql`alter table bank.authorisations add column form_key bytea not null
      default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))`.execute(
      database,
    )
  },
}
