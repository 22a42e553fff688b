import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../../registry/schema.ts'
import type { RegistryTransaction } from '../../../registry/transaction.ts'
import { durationBuckets } from '../../../registry/usage/duration-buckets.ts'
import type { UsageCounts } from './usage-buffer.ts'

const tables = { minute: 'usage_minutes', hour: 'usage_hours', day: 'usage_days' } as const
type Step = keyof typeof tables

/**
 * Adds counts to their minute, hour and day (UTC), to all three or to no table.
 * Skips counts of deleted applications. Because each table is updated directly,
 * there is no later aggregation, and late counts or differing clocks do no
 * harm.
 *
 * It locks applications and rows in one fixed order, so that processes wait for
 * each other but never deadlock.
 */
export async function writeUsage(
  db: Kysely<RegistrySchema>,
  counts: readonly UsageCounts[],
): Promise<void> {
  const applicationIds = [...new Set(counts.map((row) => row.application_id))]
  await db.transaction().execute(async (trx) => {
    const { rows: found } = await sql<{ readonly id: string }>`
      select id from applications where id = any(${applicationIds}::uuid[]) order by id for key share`.execute(
      trx,
    )
    const known = new Set(found.map(({ id }) => id))
    const json = JSON.stringify(counts.filter((row) => known.has(row.application_id)))
    await add(trx, json)
  })
}

/**
 * Updates all three tables in one statement, so that the counts are sent once.
 * PostgreSQL does not promise an order among them, but uses a fixed one: the
 * last part first, then the others.
 *
 * @param json a list of {@link UsageCounts}; several may go to one row: several
 * minutes, or two of one operation around a reload
 */
async function add(trx: RegistryTransaction, json: string): Promise<void> {
  await sql`
    with u as materialized (
      select * from json_to_recordset(${json}::json) as u(
        application_id uuid, minute float8, api text, version text, operation text, admitted bigint,
        refused bigint, refused_by_limit bigint, errors bigint, duration_ms_sum float8, duration_ms_max float8,
        durations bigint[], answered_2xx bigint, answered_3xx bigint, answered_4xx bigint, answered_429 bigint,
        answered_5xx bigint, unanswered bigint, rehearsed bigint, rehearsed_refused bigint
      )
    ),
    minutes as (${sumsOf('minute')}),
    hours as (${sumsOf('hour')})
    ${sumsOf('day')}`.execute(trx)
}

/** The elements of an array of durations, one expression each. */
const eachDuration = (of: (element: string) => string): string =>
  Array.from({ length: durationBuckets }, (_, at) => of(`[${at + 1}]`)).join(', ')

const summed = sql.raw(`array[${eachDuration((at) => `sum(u.durations${at})`)}]`)
// Rows of an older version have no elements.
const added = sql.raw(
  `array[${eachDuration((at) => `coalesce(stored.durations${at}, 0) + excluded.durations${at}`)}]`,
)

/** Adds the counts `u` to one step's table. */
function sumsOf(step: Step) {
  return sql`
    insert into ${sql.table(tables[step])} as stored (
      application_id, at, api, version, operation,
      admitted, refused, refused_by_limit, errors, duration_ms_sum, duration_ms_max, durations,
      answered_2xx, answered_3xx, answered_4xx, answered_429, answered_5xx, unanswered,
      rehearsed, rehearsed_refused
    )
    select
      u.application_id, date_trunc(${sql.lit(step)}, to_timestamp(u.minute * 60), 'UTC'), u.api, u.version, u.operation,
      sum(u.admitted), sum(u.refused), sum(u.refused_by_limit), sum(u.errors),
      sum(u.duration_ms_sum), max(u.duration_ms_max), ${summed},
      sum(u.answered_2xx), sum(u.answered_3xx), sum(u.answered_4xx), sum(u.answered_429), sum(u.answered_5xx),
      sum(u.unanswered), sum(u.rehearsed), sum(u.rehearsed_refused)
    from u
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (application_id, at, api, version, operation) do update set
      admitted = stored.admitted + excluded.admitted,
      refused = stored.refused + excluded.refused,
      refused_by_limit = stored.refused_by_limit + excluded.refused_by_limit,
      errors = stored.errors + excluded.errors,
      duration_ms_sum = stored.duration_ms_sum + excluded.duration_ms_sum,
      duration_ms_max = greatest(stored.duration_ms_max, excluded.duration_ms_max),
      durations = ${added},
      answered_2xx = stored.answered_2xx + excluded.answered_2xx,
      answered_3xx = stored.answered_3xx + excluded.answered_3xx,
      answered_4xx = stored.answered_4xx + excluded.answered_4xx,
      answered_429 = stored.answered_429 + excluded.answered_429,
      answered_5xx = stored.answered_5xx + excluded.answered_5xx,
      unanswered = stored.unanswered + excluded.unanswered,
      rehearsed = stored.rehearsed + excluded.rehearsed,
      rehearsed_refused = stored.rehearsed_refused + excluded.rehearsed_refused`
}
