import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { UsageCounts } from './usage-buffer.ts'

/**
 * Adds counts to those of the same minute, in one statement; those of
 * applications that are gone are left out. Applications and rows are locked in
 * one order, so that processes wait for each other and never in a circle.
 */
export async function writeUsage(
  db: Kysely<RegistrySchema>,
  counts: readonly UsageCounts[],
): Promise<void> {
  const applicationIds = [...new Set(counts.map((row) => row.application_id))]
  // Grouped: around a reload two rows may mean the same operation.
  await sql`
    with known as materialized (
      select id from applications where id = any(${applicationIds}::uuid[]) order by id for key share
    )
    insert into usage_minutes as held (
      application_id, at, api, version, operation,
      admitted, refused, refused_by_limit, errors, duration_ms_sum, duration_ms_max
    )
    select
      u.application_id, to_timestamp(u.minute * 60), u.api, u.version, u.operation,
      sum(u.admitted), sum(u.refused), sum(u.refused_by_limit), sum(u.errors),
      sum(u.duration_ms_sum), max(u.duration_ms_max)
    from json_to_recordset(${JSON.stringify(counts)}::json) as u(
      application_id uuid, minute float8, api text, version text, operation text, admitted bigint,
      refused bigint, refused_by_limit bigint, errors bigint, duration_ms_sum float8, duration_ms_max float8
    )
    join known on known.id = u.application_id
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (application_id, at, api, version, operation) do update set
      admitted = held.admitted + excluded.admitted,
      refused = held.refused + excluded.refused,
      refused_by_limit = held.refused_by_limit + excluded.refused_by_limit,
      errors = held.errors + excluded.errors,
      duration_ms_sum = held.duration_ms_sum + excluded.duration_ms_sum,
      duration_ms_max = greatest(held.duration_ms_max, excluded.duration_ms_max)`.execute(db)
}
