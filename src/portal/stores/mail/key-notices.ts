import { type Kysely, sql } from 'kysely'
import type { ChangeOf } from '../../../registry/feed/change.ts'
import { type KeptChange, readSettledChanges } from '../../../registry/feed/read-changes.ts'
import { keyHint } from '../../../registry/keys/key-format.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** One event in the life of a key. The two changes of a rotation form one event. */
export interface KeyNotice {
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

/** A developer whose second factors a command removed. */
export interface FactorReset {
  readonly email: string
  readonly at: Date
}

/** What developers get mails about in a page of changes, and where the next page begins. */
export interface NoticeablePage {
  readonly keys: readonly KeyNotice[]
  readonly factorResets: readonly FactorReset[]
  /** As {@link SettledChanges}. */
  readonly next: string
  readonly isFull: boolean
}

/** Whether a transaction at or after `horizon` changed a key or reset factors. Cheap enough for constant polling. */
export async function hasMailedChanges(
  db: Kysely<PortalSchema>,
  horizon: string,
): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select from changes where xid >= ${horizon}::text::xid8
      and (kind = 'key' or action = 'reset-factor')) as "isThere"`.execute(db)
  return rows[0]?.isThere === true
}

/** Reads a page of the changes of keys and resets of factors. Leaves out keys for pages, and what was deleted since. */
export async function readNoticeable(
  trx: PortalTransaction,
  from: { readonly horizon: string; readonly max: number },
): Promise<NoticeablePage> {
  const { changes, ...place } = await readSettledChanges(trx, from)
  const ofKeys = changes.filter((change) => change.kind === 'key')
  const keys = await findKeys(trx, ofKeys)
  const resets = changes.flatMap((change) =>
    change.kind === 'developer' && change.action === 'reset-factor' ? [change] : [],
  )
  return {
    ...place,
    keys: ofKeys.flatMap((change) => toKeyNotice(change, ofKeys, keys.get(change.keyId))),
    factorResets: await findResets(trx, resets),
  }
}

type KeptKeyChange = KeptChange & ChangeOf<'key'>

interface KeyRow {
  readonly keyId: string
  readonly keyName: string
  readonly lastFour: string
  readonly expiresAt: Date | null
  readonly replacedBy: string | null
  readonly newLastFour: string | null
  readonly isReplacement: boolean
  readonly applicationName: string
  readonly developerId: string
  readonly email: string
}

async function findKeys(
  trx: PortalTransaction,
  changes: readonly KeptKeyChange[],
): Promise<ReadonlyMap<string, KeyRow>> {
  const ids = changes.map(({ keyId }) => keyId)
  const { rows } = await sql<KeyRow>`
    select k.id as "keyId", k.name as "keyName", k.last_four as "lastFour",
      k.expires_at as "expiresAt", k.replaced_by as "replacedBy", n.last_four as "newLastFour",
      exists (select from api_keys p where p.replaced_by = k.id) as "isReplacement",
      a.name as "applicationName", d.id as "developerId", d.email
    from api_keys k
    join applications a on a.id = k.application_id
    join developers d on d.id = a.developer_id
    left join api_keys n on n.id = k.replaced_by
    where k.id = any(${ids}::text[]) and k.session_id is null`.execute(trx)
  return new Map(rows.map((row) => [row.keyId, row]))
}

async function findResets(
  trx: PortalTransaction,
  resets: readonly (KeptChange & ChangeOf<'developer'>)[],
): Promise<FactorReset[]> {
  if (resets.length === 0) return []
  const rows = await trx
    .selectFrom('developers')
    .select(['id', 'email'])
    .where(
      'id',
      'in',
      resets.map(({ developerId }) => developerId),
    )
    .execute()
  const emails = new Map(rows.map(({ id, email }) => [id, email]))
  return resets.flatMap(({ developerId, madeAt }) => {
    const email = emails.get(developerId)
    return email === undefined ? [] : [{ email, at: new Date(madeAt) }]
  })
}

/** @param all of the page: a rotation is two changes of one transaction */
function toKeyNotice(
  change: KeptKeyChange,
  all: readonly KeptKeyChange[],
  key: KeyRow | undefined,
): KeyNotice[] {
  if (key === undefined) return []
  const { replacedBy, newLastFour, ...named } = key
  const { action, xid, keyId, applicationId, madeAt, detail } = change
  // The change of the replaced key represents the rotation.
  if (action === 'issue' && key.isReplacement) return []
  const isRotation = all.some(
    (other) => other.xid === xid && other.action === 'issue' && other.keyId === replacedBy,
  )
  // Its successor was revoked unseen: the rotation that followed covers both.
  if (action === 'replace' && !isRotation) return []
  const isReplaced = isRotation && replacedBy !== null && newLastFour !== null
  return [
    {
      action: isReplaced ? 'replace' : action,
      at: new Date(madeAt),
      developerId: named.developerId,
      email: named.email,
      applicationId,
      applicationName: named.applicationName,
      keyId,
      keyName: named.keyName,
      hint: keyHint(keyId, named.lastFour),
      newHint: isReplaced ? keyHint(replacedBy, newLastFour) : undefined,
      worksUntil: isReplaced && action === 'replace' ? named.expiresAt : null,
      newKeyId: isReplaced ? replacedBy : undefined,
      isByItself: detail.byItself === true,
      mayReplaceItself: detail.mayReplaceItself,
      allowedAddresses: detail.allowedAddresses,
    },
  ]
}
