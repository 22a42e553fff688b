import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * How long admitted calls took, as counts by bucket (`duration-buckets.ts`), and
 * what was answered, by class of status. Rows from before have none of either.
 */
export const usageHistogram: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['usage_minutes', 'usage_hours', 'usage_days']) {
      await sql.raw(extended(table)).execute(db)
    }
  },
}

function extended(table: string): string {
  return `alter table ${table}
    add column durations bigint[] not null default '{}',
    add column answered_2xx bigint not null default 0,
    add column answered_3xx bigint not null default 0,
    add column answered_4xx bigint not null default 0,
    add column answered_429 bigint not null default 0,
    add column answered_5xx bigint not null default 0,
    add column unanswered bigint not null default 0`
}
