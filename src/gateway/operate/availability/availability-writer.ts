import { type Kysely, sql } from 'kysely'
import { durationBuckets } from '../../registry/duration-buckets.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { InterfaceMinute } from './interface-minutes.ts'
import type { Slice } from './seconds-held.ts'

/** Adds figures to their minute and hour, to both or to neither. */
export async function writeMinutes(
  db: Kysely<RegistrySchema>,
  rows: readonly InterfaceMinute[],
): Promise<void> {
  await sql`
    with u as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as u(
        api text, version text, service text, minute float8, requests bigint, errors bigint, answers bigint,
        first_byte_ms_sum float8, last_byte_ms_sum float8, first_bytes bigint[], last_bytes bigint[]
      )
    ),
    minutes as (${sumsOf('minute')})
    ${sumsOf('hour')}`.execute(db)
}

/** The elements of an array of durations, one expression each. */
const eachDuration = (of: (element: string) => string) =>
  sql.raw(
    `array[${Array.from({ length: durationBuckets }, (_, at) => of(`[${at + 1}]`)).join(', ')}]`,
  )

/** Adds the figures `u` to one step's table. Every process locks the rows in the same order. */
function sumsOf(step: 'minute' | 'hour') {
  return sql`
    insert into ${sql.table(`availability_${step}s`)} as held (
      at, api, version, service, requests, errors, answers, first_byte_ms_sum, last_byte_ms_sum, first_bytes, last_bytes
    )
    select
      date_trunc(${sql.lit(step)}, to_timestamp(u.minute * 60), 'UTC'), u.api, u.version, u.service,
      sum(u.requests), sum(u.errors), sum(u.answers), sum(u.first_byte_ms_sum), sum(u.last_byte_ms_sum),
      ${eachDuration((at) => `sum(u.first_bytes${at})`)}, ${eachDuration((at) => `sum(u.last_bytes${at})`)}
    from u
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (at, api, version, service) do update set
      requests = held.requests + excluded.requests,
      errors = held.errors + excluded.errors,
      answers = held.answers + excluded.answers,
      first_byte_ms_sum = held.first_byte_ms_sum + excluded.first_byte_ms_sum,
      last_byte_ms_sum = held.last_byte_ms_sum + excluded.last_byte_ms_sum,
      first_bytes = ${eachDuration((at) => `held.first_bytes${at} + excluded.first_bytes${at}`)},
      last_bytes = ${eachDuration((at) => `held.last_bytes${at} + excluded.last_bytes${at}`)}`
}

/** Writes slices of one gateway; a later one of the same second says all that the earlier one said. */
export async function writeSlices(
  db: Kysely<RegistrySchema>,
  gateway: string,
  slices: readonly Slice[],
): Promise<void> {
  await sql`
    insert into availability_slices (second, api, version, gateway, unanswered, answered)
    select u.second, u.api, u.version, ${gateway}::uuid, u.unanswered, u.answered
    from json_to_recordset(${JSON.stringify(slices)}::json) as u(
      second bigint, api text, version text, unanswered text, answered text
    )
    on conflict (second, api, version, gateway) do update set
      unanswered = excluded.unanswered, answered = excluded.answered`.execute(db)
}

/** Seconds, by `api version`, in which any gateway has unanswered calls, or in which an outage had its last one so far. */
export async function readWanted(
  db: Kysely<RegistrySchema>,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const { rows } = await sql<{ name: string; seconds: number[] }>`
    select api || ' ' || version as name, json_agg(second) as seconds
    from (
      select api, version, second from availability_slices where unanswered is not null
      union
      select api, version, ((last_call ->> 'at')::bigint / 1000) from availability_outages where until_at is null
    ) as wanted
    group by api, version`.execute(db)
  return new Map(rows.map(({ name, seconds }) => [name, new Set(seconds)]))
}
