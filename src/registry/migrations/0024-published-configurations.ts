import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What gateways have published, so that a command can compare files with it,
 * and how many calls a rehearsed plan would have refused.
 */
export const publishedConfigurations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table published_configurations (
      digest text primary key,
      content bytea not null,
      published_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`.execute(db)
    for (const table of ['usage_minutes', 'usage_hours', 'usage_days']) {
      await sql`alter table ${sql.table(table)}
        add column rehearsed bigint not null default 0,
        add column rehearsed_refused bigint not null default 0`.execute(db)
    }
  },
}
