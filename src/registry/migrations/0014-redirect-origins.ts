import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The origins to which the customers of an application may be sent back after an approval. */
export const redirectOrigins: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table applications add column redirect_origins text[] not null default '{}'`.execute(
      db,
    )
  },
}
