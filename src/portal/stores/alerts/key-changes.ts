import { type Kysely, sql } from 'kysely'
import { keyHint } from '../../../registry/keys/key-format.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** One event in the life of a key. The two changes of a rotation form one event. */
export interface KeyChange {
  /** `update`: its allowed addresses, or whether it may replace itself. */
  readonly action: 'issue' | 'replace' | 'revoke' | 'update'
  readonly at: Date
  readonly developerId: string
  readonly email: string
  readonly applicationId: string
  readonly applicationName: string
  readonly keyName: string
  readonly hint: string
  /** The hint of the replacing key; undefined unless replaced. */
  readonly newHint: string | undefined
  /** For a replaced key that still works. */
  readonly worksUntil: Date | null
  readonly keyId: string
  /** The replacing key; undefined unless replaced. */
  readonly newKeyId: string | undefined
  /** Whether the key replaced itself. */
  readonly isByItself: boolean
  /** For an update that changes it, and for a new key that may: whether the key may replace itself now. */
  readonly mayReplaceItself: boolean | undefined
  /** For an update that changes them: how many addresses are allowed now; 0: all. */
  readonly allowedAddresses: number | undefined
}

/** A page of the changes, and where the next page begins. */
export interface KeyChangePage {
  readonly changes: readonly KeyChange[]
  /** This page and earlier ones contain every change of transactions below this number. A 64-bit number as text. */
  readonly next: string
  /** Whether more changes may be waiting. */
  readonly isFull: boolean
}

/** The point after which all changes of current and future transactions lie. */
export async function presentHorizon(db: Kysely<PortalSchema>): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`.execute(db)
  return rows[0]?.horizon ?? '0'
}

/** Whether a transaction at or after `horizon` changed a key or reset factors. Cheap enough for constant polling. */
export async function hasNoticeableChanges(
  db: Kysely<PortalSchema>,
  horizon: string,
): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select from changes where xid >= ${horizon}::text::xid8
      and (kind = 'key' or action = 'reset-factor')) as "isThere"`.execute(db)
  return rows[0]?.isThere === true
}

/** A developer whose second factors a command removed. */
export interface FactorReset {
  readonly email: string
  readonly at: Date
}

/** Reads the resets of transactions from `horizon` up to, but not including, `next`: the range of a {@link KeyChangePage}. */
export async function readFactorResets(
  trx: PortalTransaction,
  { horizon, next }: { readonly horizon: string; readonly next: string },
): Promise<FactorReset[]> {
  const { rows } = await sql<FactorReset>`
    select d.email, c.created_at as at
    from changes c join developers d on d.id = c.developer_id
    where c.kind = 'developer' and c.action = 'reset-factor'
      and c.xid >= ${horizon}::text::xid8 and c.xid < ${next}::text::xid8
    order by c.id`.execute(trx)
  return rows
}

/**
 * Reads key events of transactions from `horizon` up to the oldest one still
 * running, whose changes appear on a later page. Leaves out keys that were
 * deleted with their application.
 */
export async function readKeyChanges(
  trx: PortalTransaction,
  { horizon, max }: { readonly horizon: string; readonly max: number },
): Promise<KeyChangePage> {
  // One statement, so one snapshot. With ties, so that a transaction's changes stay together.
  const { rows } = await sql<ChangeRow>`
    with s as (select pg_snapshot_xmin(pg_current_snapshot()) as horizon),
    due as (
      select c.id, c.xid, c.action, c.key_id, c.created_at, c.detail
      from changes c, s
      where c.kind = 'key' and c.xid >= ${horizon}::text::xid8 and c.xid < s.horizon
      order by c.xid
      fetch first ${sql.lit(max)} rows with ties
    )
    select s.horizon::text as horizon, due.id, due.xid::text as xid, due.action, due.created_at as at, due.detail,
      k.id as "keyId", k.name as "keyName", k.last_four as "lastFour",
      k.expires_at as "expiresAt", k.replaced_by as "replacedBy", n.last_four as "newLastFour",
      exists (select from api_keys p where p.replaced_by = k.id) as "isReplacement",
      exists (
        select from due i where i.xid = due.xid and i.action = 'issue' and i.key_id = k.replaced_by
      ) as "isRotation",
      a.id as "applicationId", a.name as "applicationName",
      d.id as "developerId", d.email
    from s
    left join due on true
    left join api_keys k on k.id = due.key_id
    left join api_keys n on n.id = k.replaced_by
    left join applications a on a.id = k.application_id
    left join developers d on d.id = a.developer_id
    order by due.xid, due.id`.execute(trx)
  const last = rows.at(-1)
  if (last === undefined) throw new Error('a left join from one row returned none')
  const isFull = rows.length >= max
  return {
    isFull,
    next: isFull && last.xid !== null ? String(BigInt(last.xid) + 1n) : last.horizon,
    changes: rows.flatMap((row) => (isOfKey(row) ? toKeyChange(row) : [])),
  }
}

interface KeyRow {
  readonly action: string
  readonly at: Date
  readonly detail: Readonly<Record<string, string>>
  readonly keyId: string
  readonly keyName: string
  readonly lastFour: string
  readonly expiresAt: Date | null
  readonly replacedBy: string | null
  readonly newLastFour: string | null
  readonly isReplacement: boolean
  readonly isRotation: boolean
  readonly applicationId: string
  readonly applicationName: string
  readonly developerId: string
  readonly email: string
}

type ChangeRow = { readonly horizon: string; readonly xid: string | null } & (
  | KeyRow
  | { readonly keyId: null }
)

function isOfKey(row: ChangeRow): row is ChangeRow & KeyRow {
  return row.keyId !== null
}

function toKeyChange(row: KeyRow): KeyChange[] {
  const { action, at, developerId, email, applicationId, applicationName, keyId, keyName } = row
  const { byItself, mayReplaceItself, allowedAddresses } = row.detail
  // The change of the replaced key represents the rotation.
  if (action === 'issue' && row.isReplacement) return []
  // Its successor was revoked unseen: the rotation that followed tells of both.
  if (action === 'replace' && !row.isRotation) return []
  const isReplaced = row.isRotation && row.replacedBy !== null && row.newLastFour !== null
  const told = isReplaced ? 'replace' : action
  if (told !== 'issue' && told !== 'replace' && told !== 'revoke' && told !== 'update') return []
  return [
    {
      at,
      developerId,
      email,
      applicationId,
      applicationName,
      keyId,
      keyName,
      action: told,
      hint: keyHint(row.keyId, row.lastFour),
      newHint: isReplaced ? keyHint(row.replacedBy ?? '', row.newLastFour ?? '') : undefined,
      worksUntil: isReplaced && action === 'replace' ? row.expiresAt : null,
      newKeyId: isReplaced ? (row.replacedBy ?? undefined) : undefined,
      isByItself: byItself === 'true',
      mayReplaceItself: mayReplaceItself === undefined ? undefined : mayReplaceItself === 'true',
      allowedAddresses: allowedAddresses === undefined ? undefined : Number(allowedAddresses),
    },
  ]
}
