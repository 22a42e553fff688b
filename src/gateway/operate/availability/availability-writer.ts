import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../../registry/schema.ts'
import type { RegistryTransaction } from '../../../registry/transaction.ts'
import type { InterfaceMinute } from './interface-minutes.ts'
import type { Slice } from './recent-seconds.ts'

/** A write that failed when it was committed: whether it had an effect is not known. */
export class UncertainWrite extends Error {
  constructor(cause: unknown) {
    super('the database may have committed it', { cause })
    this.name = 'UncertainWrite'
  }
}

/**
 * Adds figures to their minute and hour, to both or to neither. A statement that
 * exceeds its time limit has no effect, as only an explicit commit makes it last.
 *
 * @throws {UncertainWrite} they must not be written again
 */
export async function writeMinutes(
  db: Kysely<RegistrySchema>,
  rows: readonly InterfaceMinute[],
): Promise<void> {
  let isAdded = false
  try {
    await db.transaction().execute(async (trx) => {
      await addMinutes(trx, rows)
      isAdded = true
    })
  } catch (error) {
    throw isAdded ? new UncertainWrite(error) : error
  }
}

async function addMinutes(
  trx: RegistryTransaction,
  rows: readonly InterfaceMinute[],
): Promise<void> {
  await sql`
    with u as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as u(
        api text, version text, service text, minute float8, requests bigint, errors bigint, answers bigint,
        first_byte_ms_sum float8, last_byte_ms_sum float8
      )
    ),
    minutes as (${sumsOf('minute')})
    ${sumsOf('hour')}`.execute(trx)
}

/** Adds the figures `u` to one step's table. Every process locks the rows in the same order. */
function sumsOf(step: 'minute' | 'hour') {
  return sql`
    insert into ${sql.table(`availability_${step}s`)} as held (
      at, api, version, service, requests, errors, answers, first_byte_ms_sum, last_byte_ms_sum
    )
    select
      date_trunc(${sql.lit(step)}, to_timestamp(u.minute * 60), 'UTC'), u.api, u.version, u.service,
      sum(u.requests), sum(u.errors), sum(u.answers), sum(u.first_byte_ms_sum), sum(u.last_byte_ms_sum)
    from u
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (at, api, version, service) do update set
      requests = held.requests + excluded.requests,
      errors = held.errors + excluded.errors,
      answers = held.answers + excluded.answers,
      first_byte_ms_sum = held.first_byte_ms_sum + excluded.first_byte_ms_sum,
      last_byte_ms_sum = held.last_byte_ms_sum + excluded.last_byte_ms_sum`
}

/** Writes slices of one gateway. A later slice of the same part includes the earlier one, so repeating one is safe. */
export async function writeSlices(
  db: Kysely<RegistrySchema>,
  gateway: string,
  slices: readonly Slice[],
): Promise<void> {
  await sql`
    insert into availability_slices (second, api, version, gateway, part, unanswered, answered)
    select u.second, u.api, u.version, ${gateway}::uuid, u.part, u.unanswered, u.answered
    from json_to_recordset(${JSON.stringify(slices)}::json) as u(
      second bigint, api text, version text, part integer, unanswered text, answered text
    )
    on conflict (second, api, version, gateway, part) do update set
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
