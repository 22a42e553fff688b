import { type Kysely, sql } from 'kysely'
import { keyHint } from '../../../registry/keys/key-format.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** Days before the end of a key or certificate on which its developer gets a warning. */
export const expiryDays = [30, 7, 1] as const

/** A key or a certificate that expires soon. */
export type Expiring = {
  readonly id: string
  readonly name: string
  readonly expiresAt: Date
  /** The warning that is due. */
  readonly days: number
} & (
  | { readonly of: 'key'; readonly hint: string }
  | { readonly of: 'certificate'; readonly use: 'tls' | 'signing'; readonly thumbprint: string }
)

/** The recipient of a warning about an application. */
export interface ExpiryReceiver {
  readonly applicationName: string
  readonly developerId: string
  readonly email: string
  /** Whether the developer wants it by email. */
  readonly wantsMail: boolean
}

/**
 * The latest warning that is due for each key and certificate that expires soon.
 * A key or certificate gets no warning whose date was before it was created or
 * added, because its developer knows the date. A replaced key gets none.
 */
function due(nowMs: number) {
  const now = sql`${new Date(nowMs)}::timestamptz`
  const days = sql.raw(`(values ${expiryDays.map((one) => `(${one})`).join(', ')})`)
  return sql`
    select distinct on (e.subject) e.*, t.days
    from (
      select k.application_id, 'key:' || k.id as subject, k.id, 'key' as of, k.name, k.last_four, null as use,
        null as thumbprint, k.expires_at, k.created_at
      from api_keys k
      where k.expires_at > ${now} and k.expires_at <= ${now} + make_interval(days => ${sql.lit(expiryDays[0])})
        and k.revoked_at is null and k.replaced_by is null
      union all
      select c.application_id, 'certificate:' || c.id, c.id::text, 'certificate', c.name, null, c.use,
        c.thumbprint, c.valid_until, c.created_at
      from certificates c
      where c.valid_until > ${now} and c.valid_until <= ${now} + make_interval(days => ${sql.lit(expiryDays[0])})
    ) e join ${days} as t(days) on e.expires_at <= ${now} + make_interval(days => t.days)
      and e.created_at <= e.expires_at - make_interval(days => t.days)
    order by e.subject, t.days`
}

/** Ids of applications with a warning that is due and not recorded. */
export async function findExpiring(
  db: Kysely<PortalSchema>,
  { nowMs, max }: { readonly nowMs: number; readonly max: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct due.application_id as id
    from (${due(nowMs)}) due
    join applications a on a.id = due.application_id
    join developers d on d.id = a.developer_id
    where a.suspended_at is null and d.suspended_at is null and not exists (
      select from expiry_alerts x where x.application_id = due.application_id and x.subject = due.subject
        and x.expires_at = due.expires_at and x.days <= due.days)
    limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Records the warnings that are due for an application. Waits for another
 * process that is recording them.
 *
 * @returns those that were not recorded before, in the order in which they expire
 */
export async function takeExpiring(
  trx: PortalTransaction,
  { applicationId, nowMs }: { readonly applicationId: string; readonly nowMs: number },
): Promise<Expiring[]> {
  const { rows } = await sql<ExpiringRow>`
    with due as materialized (${due(nowMs)}),
    noted as (
      insert into expiry_alerts (application_id, subject, expires_at, days)
      select due.application_id, due.subject, due.expires_at, due.days from due
      where due.application_id = ${applicationId}
      on conflict do nothing
      returning subject
    )
    select due.id, due.of, due.name, due.last_four as "lastFour", due.use, due.thumbprint,
      due.expires_at as "expiresAt", due.days
    from due join noted on noted.subject = due.subject
    order by due.expires_at, due.subject`.execute(trx)
  return rows.map(({ lastFour, use, thumbprint, of, ...row }) =>
    of === 'key'
      ? { ...row, of, hint: keyHint(row.id, lastFour ?? '') }
      : { ...row, of, use: use ?? 'tls', thumbprint: thumbprint ?? '' },
  )
}

interface ExpiringRow {
  readonly id: string
  readonly of: Expiring['of']
  readonly name: string
  readonly lastFour: string | null
  readonly use: 'tls' | 'signing' | null
  readonly thumbprint: string | null
  readonly expiresAt: Date
  readonly days: number
}

/** Undefined: the application was deleted, or it or its developer is suspended. */
export async function findExpiryReceiver(
  trx: PortalTransaction,
  applicationId: string,
): Promise<ExpiryReceiver | undefined> {
  return trx
    .selectFrom('applications as a')
    .innerJoin('developers as d', 'd.id', 'a.developer_id')
    .select([
      'a.name as applicationName',
      'd.id as developerId',
      'd.email',
      sql<boolean>`d.mails_expiry and 'expiry' = any(a.alert_mails)`.as('wantsMail'),
    ])
    .where('a.id', '=', applicationId)
    .where('a.suspended_at', 'is', null)
    .where('d.suspended_at', 'is', null)
    .executeTakeFirst()
}
