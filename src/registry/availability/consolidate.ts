import { type Kysely, sql } from 'kysely'
import { beginCursor, lockCursor, moveCursor } from '../job-cursor.ts'
import { readWithdrawn } from '../processes/published-configurations.ts'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'
import type { Outage } from './outage-rule.ts'
import { applyRuleToSlices, type RuleProgress } from './read-slices.ts'

/** Cursor: the second up to which slices have become outages, by the clock of the database. */
const availabilityCursor = 'availability'

/** Age after which no gateway changes a slice: longer than a gateway keeps a second. */
const settledSeconds = 900

/** Seconds between two consolidations, whichever process does it. */
const pauseSeconds = 30

/**
 * Turns the slices of all gateways that are older than a quarter of an hour, by
 * the clock of the database, into outages, and deletes them. One that came
 * later than others is applied the next time. One process at a time does so; a
 * step that fails leaves everything as it was.
 *
 * @param ageSeconds of the slices; for tests
 */
export async function consolidateOutages(
  db: Kysely<RegistrySchema>,
  ageSeconds = settledSeconds,
): Promise<void> {
  await beginCursor(db, availabilityCursor, '0')
  await db.transaction().execute(async (trx) => {
    const cursor = await lockCursor(trx, availabilityCursor)
    if (cursor === undefined) return
    if (cursor.value !== '0' && cursor.ageSeconds < pauseSeconds) return
    const { rows } = await sql<{ second: number }>`
      select floor(extract(epoch from clock_timestamp()))::bigint as second`.execute(trx)
    const settled = (rows[0]?.second ?? 0) - Math.max(0, ageSeconds)
    const progress = await readProgress(trx)
    await applyRuleToSlices(trx, progress, { to: settled, isTaken: true })
    await endWithdrawn(trx, progress)
    for (const one of progress.values()) await keepProgress(trx, one)
    await moveCursor(trx, availabilityCursor, String(settled))
  })
}

/** Ends outages of versions that are withdrawn: no call will. They end when the version was published for the last time. */
async function endWithdrawn(
  trx: RegistryTransaction,
  progress: ReadonlyMap<string, RuleProgress>,
): Promise<void> {
  if ([...progress.values()].every(({ state }) => state.open === undefined)) return
  const withdrawn = await readWithdrawn(trx)
  for (const [name, { state, ended }] of progress) {
    const publishedAt = withdrawn.get(name)
    if (state.open === undefined || publishedAt === undefined) continue
    state.open.until = Math.max(publishedAt, state.open.last.at)
    ended.push(state.open)
    state.open = undefined
  }
}

/** State of the rule at the cursor, by `api version`. */
export async function readProgress(
  db: Kysely<RegistrySchema> | RegistryTransaction,
): Promise<Map<string, RuleProgress>> {
  const rows = await db
    .selectFrom('availability_rule')
    .leftJoin('availability_outages as o', 'o.id', 'open_outage_id')
    .select(['availability_rule.api', 'availability_rule.version', 'pending'])
    .select(['o.from_at', 'series', 'last_call', 'calls', 'applications'])
    .execute()
  return new Map(
    rows.map(({ api, version, pending, from_at, series, last_call, calls, applications }) => {
      // Its seconds are in their table already.
      const open: Outage | undefined =
        from_at === null || series === null || last_call === null
          ? undefined
          : {
              from: from_at.getTime(),
              until: null,
              answeredCallAt: null,
              series,
              last: last_call,
              calls: Number(calls),
              applications: applications ?? {},
              seconds: [],
            }
      return [`${api} ${version}`, { api, version, state: { pending, open }, ended: [] }]
    }),
  )
}

async function keepProgress(
  trx: RegistryTransaction,
  { api, version, state, ended }: RuleProgress,
): Promise<void> {
  for (const outage of ended) await keepOutage(trx, { api, version }, outage)
  const { open } = state
  const openId = open === undefined ? null : await keepOutage(trx, { api, version }, open)
  const pending = JSON.stringify(state.pending)
  await sql`
    insert into availability_rule (api, version, pending, open_outage_id)
    values (${api}, ${version}, ${pending}::jsonb, ${openId})
    on conflict (api, version) do update set
      pending = excluded.pending, open_outage_id = excluded.open_outage_id`.execute(trx)
}

/** @returns the id of its row */
async function keepOutage(
  trx: RegistryTransaction,
  { api, version }: Pick<RuleProgress, 'api' | 'version'>,
  outage: Outage,
): Promise<string> {
  const { series, last, applications, seconds } = outage
  const { id } = await trx
    .insertInto('availability_outages')
    .values({
      api,
      version,
      from_at: new Date(outage.from),
      until_at: dateOf(outage.until),
      answered_call_at: dateOf(outage.answeredCallAt),
      series: JSON.stringify(series),
      last_call: JSON.stringify(last),
      calls: outage.calls,
      applications: JSON.stringify(applications),
    })
    .onConflict((conflict) =>
      conflict.columns(['api', 'version', 'from_at']).doUpdateSet(({ ref }) => ({
        until_at: ref('excluded.until_at'),
        answered_call_at: ref('excluded.answered_call_at'),
        last_call: ref('excluded.last_call'),
        calls: ref('excluded.calls'),
        applications: ref('excluded.applications'),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  if (seconds.length > 0) {
    // A consolidation ends between two seconds, so none is written twice, except the series of an outage that began in
    // the calls of before.
    const rows = seconds.map((one) => ({ ...one, first_id: one.firstId }))
    await sql`
      insert into availability_outage_seconds (outage_id, second, calls, first_id)
      select ${id}::uuid, u.second, u.calls, u.first_id
      from json_to_recordset(${JSON.stringify(rows)}::json) as u(second bigint, calls integer, first_id text)
      on conflict (outage_id, second) do nothing`.execute(trx)
  }
  return id
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

/** How long figures by minute and by hour, and outages are kept. */
const kept = { minutes: '35 days', hours: '800 days', outages: '800 days' } as const

/** Deletes figures and outages that reports no longer need. */
export async function pruneAvailability(db: Kysely<RegistrySchema>): Promise<void> {
  await sql`delete from availability_minutes where at < now() - ${kept.minutes}::interval`.execute(
    db,
  )
  await sql`delete from availability_hours where at < now() - ${kept.hours}::interval`.execute(db)
  await sql`
    delete from availability_outages where until_at < now() - ${kept.outages}::interval`.execute(db)
}
