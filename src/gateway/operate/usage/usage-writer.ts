import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../../registry/schema.ts'
import { durationBuckets } from '../../../registry/usage/duration-buckets.ts'
import type { UsageRow } from './usage-buffer.ts'

const tables = { minute: 'usage_minutes', hour: 'usage_hours', day: 'usage_days' } as const
type Step = keyof typeof tables

/**
 * Adds counts to their minute, hour and day (UTC); those of each minute to all
 * three or to no table. Skips counts of deleted applications. Because each table
 * is updated directly, there is no later aggregation, and late counts or
 * differing clocks do no harm.
 *
 * It locks applications and rows in one fixed order, so that processes wait for
 * each other but never deadlock.
 *
 * @param rows no two of the same application, operation and minute
 */
export async function writeUsage(
  db: Kysely<RegistrySchema>,
  rows: readonly UsageRow[],
): Promise<void> {
  for (const [minute, ofMinute] of Map.groupBy(rows, (each) => each.minute)) {
    await addMinute(db, minute, ofMinute)
  }
}

/**
 * Updates all three tables in one statement, so that the counts are sent once.
 * PostgreSQL does not promise an order among them, but uses a fixed one: the
 * last part first, then the others. Counts of one minute belong to different
 * rows of every table, so nothing is summed up first.
 */
async function addMinute(
  db: Kysely<RegistrySchema>,
  minute: number,
  rows: readonly UsageRow[],
): Promise<void> {
  const applicationIds = [...new Set(rows.map((each) => each.application_id))]
  const at = new Date(minute * 60_000)
  await sql`
    with known as materialized (
      select id from applications where id = any(${applicationIds}::uuid[]) order by id for key share
    ),
    u as materialized (
      select r.*, coalesce(r.buckets, array_fill(0::bigint, array[r.bucket]) || r.in_bucket
        || array_fill(0::bigint, array[${sql.lit(durationBuckets)} - 1 - r.bucket])) as durations
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(
        application_id uuid, api text, version text, operation text, admitted bigint,
        refused bigint, refused_by_limit bigint, errors bigint, client_errors bigint, duration_ms_sum float8, duration_ms_max float8,
        bucket int, in_bucket bigint, buckets bigint[],
        answered_2xx bigint, answered_3xx bigint, answered_4xx bigint, answered_429 bigint,
        answered_5xx bigint, unanswered bigint, rehearsed bigint, rehearsed_refused bigint
      )
      join known on known.id = r.application_id
    ),
    minutes as (${addedTo('minute', at)}),
    hours as (${addedTo('hour', at)})
    ${addedTo('day', at)}`.execute(db)
}

// A row without admitted calls may have no elements. One expression for each element.
const durations = sql.raw(
  `array[${Array.from(
    { length: durationBuckets },
    (_, at) => `coalesce(stored.durations[${at + 1}], 0) + excluded.durations[${at + 1}]`,
  ).join(', ')}]`,
)

/** Adds the counts `u` to one step's table. */
function addedTo(step: Step, at: Date) {
  const ofOthers = (name: string) => sql`coalesce(${sql.ref(`u.${name}`)}, 0)`
  return sql`
    insert into ${sql.table(tables[step])} as stored (
      application_id, at, api, version, operation,
      admitted, refused, refused_by_limit, errors, client_errors, duration_ms_sum, duration_ms_max, durations,
      answered_2xx, answered_3xx, answered_4xx, answered_429, answered_5xx, unanswered,
      rehearsed, rehearsed_refused
    )
    select
      u.application_id, date_trunc(${sql.lit(step)}, ${at}::timestamptz, 'UTC'), u.api, u.version, u.operation,
      u.admitted, ${ofOthers('refused')}, ${ofOthers('refused_by_limit')}, ${ofOthers('errors')},
      ${ofOthers('client_errors')},
      u.duration_ms_sum, u.duration_ms_max, u.durations,
      u.answered_2xx, ${ofOthers('answered_3xx')}, ${ofOthers('answered_4xx')}, ${ofOthers('answered_429')},
      ${ofOthers('answered_5xx')}, ${ofOthers('unanswered')}, ${ofOthers('rehearsed')}, ${ofOthers('rehearsed_refused')}
    from u
    order by 1, 2, 3, 4, 5
    on conflict (application_id, at, api, version, operation) do update set
      admitted = stored.admitted + excluded.admitted,
      refused = stored.refused + excluded.refused,
      refused_by_limit = stored.refused_by_limit + excluded.refused_by_limit,
      errors = stored.errors + excluded.errors,
      client_errors = stored.client_errors + excluded.client_errors,
      duration_ms_sum = stored.duration_ms_sum + excluded.duration_ms_sum,
      duration_ms_max = greatest(stored.duration_ms_max, excluded.duration_ms_max),
      durations = ${durations},
      answered_2xx = stored.answered_2xx + excluded.answered_2xx,
      answered_3xx = stored.answered_3xx + excluded.answered_3xx,
      answered_4xx = stored.answered_4xx + excluded.answered_4xx,
      answered_429 = stored.answered_429 + excluded.answered_429,
      answered_5xx = stored.answered_5xx + excluded.answered_5xx,
      unanswered = stored.unanswered + excluded.unanswered,
      rehearsed = stored.rehearsed + excluded.rehearsed,
      rehearsed_refused = stored.rehearsed_refused + excluded.rehearsed_refused`
}
