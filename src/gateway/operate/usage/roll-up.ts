import { type Kysely, sql } from 'kysely'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RegistryTransaction } from '../../registry/transaction.ts'

/** How long counts are kept: by minute, by hour and by day. */
export const usageKept = { minute: '48 hours', hour: '60 days', day: '400 days' } as const

/** Rows of a table deleted at a time. */
const rowsPerPrune = 50_000

/** The row of `portal_state` that says up to when everything is rolled up. */
const cursor = 'usage-rolled-up'

/**
 * Before the cursor and still made new: the clocks of the gateways and that of
 * the database may differ, and counts are written some seconds late.
 */
const margin = '10 minutes'

/**
 * Makes hours of minutes and days of hours, anew from the last time on. What
 * it makes depends on the finer rows alone, so that it may be repeated, fail in
 * the middle and run after a long pause; when another process is at it, or was
 * less than `everySeconds` ago, nothing happens. UTC.
 *
 * An application that somebody is changing or deleting at this moment waits for
 * the next time.
 *
 * @returns whether this process did it
 */
export function rollUp(db: Kysely<RegistrySchema>, everySeconds: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await sql`insert into portal_state (name, value) values (${cursor}, '-infinity') on conflict do nothing`.execute(
      trx,
    )
    const { rows } = await sql<{ readonly hour: Date; readonly day: Date }>`
      select
        date_trunc('hour', since, 'UTC') as hour,
        date_trunc('day', since, 'UTC') as day
      from (
        select greatest(value::timestamptz - ${margin}::interval, now() - ${usageKept.minute}::interval + interval '1 hour') as since
        from portal_state
        where name = ${cursor} and value::timestamptz <= now() - make_interval(secs => ${everySeconds})
        for update skip locked
      ) as state`.execute(trx)
    const [from] = rows
    if (from === undefined) return false
    await sum(trx, { step: 'hour', finer: 'usage_minutes', into: 'usage_hours', from: from.hour })
    await sum(trx, { step: 'day', finer: 'usage_hours', into: 'usage_days', from: from.day })
    await sql`update portal_state set value = now()::text, changed_at = now() where name = ${cursor}`.execute(
      trx,
    )
    return true
  })
}

interface Step {
  readonly step: 'hour' | 'day'
  readonly finer: 'usage_minutes' | 'usage_hours'
  readonly into: 'usage_hours' | 'usage_days'
  readonly from: Date
}

async function sum(trx: RegistryTransaction, { step, finer, into, from }: Step): Promise<void> {
  await sql`
    with known as materialized (
      select a.id from applications a
      where exists (select from ${sql.table(finer)} f where f.application_id = a.id and f.at >= ${from})
      for key share skip locked
    )
    insert into ${sql.table(into)} (
      application_id, at, api, version, operation,
      admitted, refused, refused_by_limit, errors, duration_ms_sum, duration_ms_max
    )
    select
      f.application_id, date_trunc(${step}, f.at, 'UTC'), f.api, f.version, f.operation,
      sum(f.admitted), sum(f.refused), sum(f.refused_by_limit), sum(f.errors),
      sum(f.duration_ms_sum), max(f.duration_ms_max)
    from ${sql.table(finer)} f
    join known on known.id = f.application_id
    where f.at >= ${from}
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (application_id, at, api, version, operation) do update set
      admitted = excluded.admitted,
      refused = excluded.refused,
      refused_by_limit = excluded.refused_by_limit,
      errors = excluded.errors,
      duration_ms_sum = excluded.duration_ms_sum,
      duration_ms_max = excluded.duration_ms_max`.execute(trx)
}

/** Deletes counts that have been kept long enough. */
export async function pruneUsage(db: Kysely<RegistrySchema>): Promise<void> {
  for (const [table, kept] of [
    ['usage_minutes', usageKept.minute],
    ['usage_hours', usageKept.hour],
    ['usage_days', usageKept.day],
  ] as const) {
    // What another process is deleting is skipped, and a piece at a time stays far from the time of a statement.
    await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where at < now() - ${kept}::interval
        limit ${rowsPerPrune} for update skip locked
      ))`.execute(db)
  }
}
