import { migrationOf } from '../../platform/database/migration-of.ts'

/**
 * How long admitted calls took, as counts by bucket (`duration-buckets.ts`), and
 * what was answered, by class of status. Rows from before have none of either.
 */
export const usageHistogram = migrationOf(
  ...['usage_minutes', 'usage_hours', 'usage_days'].map(extended),
)

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
