import { type Kysely, sql } from 'kysely'
import {
  type ApplicationLimits,
  type LimitsRow,
  limitsColumns,
  readLimits,
} from '../figures/application-limits.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** An application with recent calls, and the data that determines its limits. */
export interface ActiveApplication extends ApplicationLimits {
  readonly id: string
  /** The operations it called. */
  readonly operations: readonly {
    readonly api: string
    readonly version: string
    readonly operation: string
  }[]
  /** Buckets whose alert at 100 % is recorded for the current window; they need no further check. */
  readonly exhausted: readonly { readonly bucket: string; readonly limit: number }[]
}

/** A threshold that an application reached. */
export interface LimitAlert {
  readonly applicationId: string
  readonly api: string
  readonly version: string
  /** Null: all operations of the version together. */
  readonly operation: string | null
  readonly limit: number
  readonly used: number
  readonly threshold: number
  readonly resetsAt: Date
}

/**
 * Applications with calls since `since` that want alerts about their limits, by
 * email or webhook, ordered by id.
 *
 * @param options.after the last id processed; empty: starts from the beginning
 */
export async function findActiveApplications(
  db: Kysely<PortalSchema>,
  {
    since,
    after,
    max,
    nowMs,
  }: {
    readonly since: Date
    readonly after: string
    readonly max: number
    readonly nowMs: number
  },
): Promise<ActiveApplication[]> {
  const { rows } = await sql<LimitsRow & Omit<ActiveApplication, keyof LimitsRow>>`
    with active as materialized (
      select distinct u.application_id as id
      from usage_minutes u
      join applications a on a.id = u.application_id
      join developers d on d.id = a.developer_id
      where u.at >= ${since} and u.operation <> '' and u.admitted + u.refused_by_limit > 0
        and u.application_id > ${after === '' ? beforeAllIds : after}::uuid
        and a.suspended_at is null and d.suspended_at is null
        and ((d.mails_limits and 'limits' = any(a.alert_mails))
          or ('limits' = any(a.alert_hooks) and exists (select from webhooks w where w.application_id = a.id)))
      order by u.application_id limit ${max}
    )
    select active.id,
      ${limitsColumns('active.id')},
      coalesce((select jsonb_agg(distinct jsonb_build_object('api', u.api, 'version', u.version, 'operation', u.operation))
        from usage_minutes u where u.application_id = active.id and u.at >= ${since} and u.operation <> ''), '[]')
        as operations,
      coalesce((select jsonb_agg(jsonb_build_object('bucket', l.bucket, 'limit', l.limit_calls))
        from limit_alerts l where l.application_id = active.id and l.threshold = 100
          and l.resets_at > ${new Date(nowMs)}), '[]') as exhausted
    from active order by active.id`.execute(db)
  return rows.map(readLimits)
}

const beforeAllIds = '00000000-0000-0000-0000-000000000000'

/**
 * Records that a threshold was reached, and whether an email has to report it.
 * Waits for another transaction that is recording it.
 *
 * @returns false if it was recorded before
 */
export async function noteLimitAlert(
  trx: PortalTransaction,
  alert: LimitAlert & { readonly bucket: string; readonly window: number },
): Promise<boolean> {
  const { applicationId, threshold, api, version, operation } = alert
  const { rows } = await sql`
    insert into limit_alerts (application_id, bucket, window_number, limit_calls, threshold,
      api, version, operation, used, resets_at, mail_waits)
    select a.id, ${alert.bucket}, ${alert.window}, ${alert.limit}, ${threshold}, ${api}, ${version},
      ${operation}::text, ${alert.used}, ${alert.resetsAt}, d.mails_limits and 'limits' = any(a.alert_mails)
    from applications a join developers d on d.id = a.developer_id
    where a.id = ${applicationId} and not exists (
      -- The higher threshold includes the lower one.
      select from limit_alerts l where l.application_id = a.id and l.bucket = ${alert.bucket}
        and l.window_number = ${alert.window} and l.limit_calls = ${alert.limit} and l.threshold >= ${threshold})
    on conflict do nothing
    returning threshold`.execute(trx)
  return rows.length > 0
}

/**
 * Ids of applications that may get their next email about limits: the last one
 * was written an hour ago or earlier, and neither the application nor its
 * developer is suspended.
 */
export async function findLimitMails(
  db: Kysely<PortalSchema>,
  { nowMs, max }: { readonly nowMs: number; readonly max: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct l.application_id as id
    from limit_alerts l
    join applications a on a.id = l.application_id
    join developers d on d.id = a.developer_id
    left join limit_alert_mails m on m.application_id = l.application_id
    where l.mail_waits and a.suspended_at is null and d.suspended_at is null
      and coalesce(m.written_at, '-infinity') <= ${anHourBefore(nowMs)}
    limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The content of an email about limits, and its recipient. */
export interface LimitMail {
  readonly developerId: string
  readonly email: string
  readonly applicationName: string
  readonly alerts: readonly LimitAlert[]
}

/**
 * Takes all alerts of an application that wait for an email.
 *
 * @returns undefined if the developer no longer wants these emails. Also undefined
 *   if another process wrote one within the hour, or the application or its
 *   developer is suspended; then the alerts stay in the queue
 */
export async function takeLimitMail(
  trx: PortalTransaction,
  { applicationId, nowMs }: { readonly applicationId: string; readonly nowMs: number },
): Promise<LimitMail | undefined> {
  const receiver = await trx
    .selectFrom('applications as a')
    .innerJoin('developers as d', 'd.id', 'a.developer_id')
    .select(['d.id as developerId', 'd.email', 'a.name as applicationName'])
    .select(sql<boolean>`d.mails_limits and 'limits' = any(a.alert_mails)`.as('isWanted'))
    .where('a.id', '=', applicationId)
    .where('a.suspended_at', 'is', null)
    .where('d.suspended_at', 'is', null)
    .executeTakeFirst()
  if (receiver === undefined) return undefined
  const { rows: turns } = await sql`
    insert into limit_alert_mails as m (application_id, written_at) values (${applicationId}, ${new Date(nowMs)})
    on conflict (application_id) do update set written_at = excluded.written_at
      where m.written_at <= ${anHourBefore(nowMs)}
    returning application_id`.execute(trx)
  if (turns.length === 0) return undefined
  const alerts = await trx
    .updateTable('limit_alerts')
    .set({ mail_waits: false })
    .where('application_id', '=', applicationId)
    .where('mail_waits', '=', true)
    .returning([
      'application_id as applicationId',
      'api',
      'version',
      'operation',
      'limit_calls as limit',
      'used',
      'threshold',
      'resets_at as resetsAt',
    ])
    .execute()
  const { isWanted, ...facts } = receiver
  return isWanted && alerts.length > 0 ? { ...facts, alerts } : undefined
}

function anHourBefore(nowMs: number): Date {
  return new Date(nowMs - 3_600_000)
}
