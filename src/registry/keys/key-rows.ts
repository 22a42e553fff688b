import type { Kysely, UpdateObject } from 'kysely'
import type { ChangeOf, KeyChangeDetail } from '../feed/change.ts'
import { RegistryNotFound } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'
import { keyHint, type ParsedKey } from './key-format.ts'
import { keyMac, type Peppers } from './key-mac.ts'
import { pepperForNewKey } from './key-peppers.ts'

/**
 * An API key in the form that may be shown at any time.
 *
 * States: active → replaced (works until the end of its overlap) → expired;
 * active → expired; any → revoked. There are no transitions back.
 */
export interface ApiKey {
  /** The public part of the key, 12 characters. */
  readonly id: string
  readonly applicationId: string
  /** Unique among the application's active keys. */
  readonly name: string
  /** `tg_<id>_…<last four>`. */
  readonly hint: string
  readonly createdAt: Date
  /** When the key expires; null: never. */
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** The first call of the last minute with calls, written up to a minute late; null: never. */
  readonly lastUsedAt: Date | null
  /** The key that replaced this one by rotation. */
  readonly replacedBy: string | null
  /** Addresses or CIDRs from which it may be used; empty: from anywhere. */
  readonly allowedAddresses: readonly string[]
  /** Whether the key alone is enough to rotate it, without a person. */
  readonly mayReplaceItself: boolean
}

/** The only response that contains the key itself. Tollgate stores only its MAC. */
export interface IssuedKey extends ApiKey {
  readonly key: string
}

const columns = [
  'id',
  'application_id as applicationId',
  'name',
  'last_four as lastFour',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
  'replaced_by as replacedBy',
  'allowed_addresses as allowedAddresses',
  'may_replace_itself as mayReplaceItself',
] as const

export interface NewKey {
  readonly key: ParsedKey
  readonly applicationId: string
  readonly name?: string | undefined
  readonly expiresAt: Date | null
  readonly allowedAddresses?: readonly string[]
  readonly mayReplaceItself?: boolean
  /** The session of the portal that it is for; undefined: none. */
  readonly sessionId?: string
}

/** Stores a new key: its MAC, and not the key. @throws {PepperUnfit} other processes could not verify it */
export async function insertKey(
  trx: RegistryTransaction,
  peppers: Peppers,
  { key: { id, text }, ...given }: NewKey,
): Promise<IssuedKey> {
  const version = await pepperForNewKey(trx, peppers)
  const mac = keyMac(peppers, version, text)
  if (mac === undefined) throw new Error('the pepper for new keys is missing')
  const row = await trx
    .insertInto('api_keys')
    .values({
      id,
      application_id: given.applicationId,
      name: given.name ?? `key-${id}`,
      mac,
      pepper_version: version,
      last_four: text.slice(-4),
      expires_at: given.expiresAt,
      allowed_addresses: [...(given.allowedAddresses ?? [])],
      may_replace_itself: given.mayReplaceItself ?? false,
      session_id: given.sessionId ?? null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return { ...toApiKey(row), key: text }
}

/**
 * @param isLocked whether the row is locked until the transaction ends
 * @param isOwn whether a key for a page counts as unknown
 */
export async function readKey(
  trx: RegistryTransaction,
  id: string,
  { isLocked = false, isOwn = false } = {},
): Promise<ApiKey> {
  const row = await selectKeys(trx)
    .where('id', '=', id)
    .$if(isOwn, (query) => query.where('session_id', 'is', null))
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst()
  if (row === undefined) throw new RegistryNotFound('key', id)
  return toApiKey(row)
}

/** What a change of a key leaves: the change for all processes, and the audit entry. */
export function traces(
  key: ApiKey,
  action: ChangeOf<'key'>['action'],
  by: string,
  facts: KeyChangeDetail = {},
) {
  const { id: keyId, applicationId, allowedAddresses, mayReplaceItself } = key
  const isIssued = action === 'issue'
  const isChosen = action === 'update' || (isIssued && allowedAddresses.length > 0)
  const detail = { ...facts, ...(isIssued && mayReplaceItself && { mayReplaceItself }) }
  const audited = {
    ...detail,
    // Their number only: a client's address may be personal data (docs/audit.md).
    ...(isChosen && { allowedAddresses: allowedAddresses.length }),
  }
  return [
    { kind: 'key', action, applicationId, keyId, detail },
    { by, detail: { applicationId, ...textsOf(audited) } },
  ] as const
}

/** The audit keeps texts. */
function textsOf(facts: object): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]))
}

/** Keys as they may be shown. */
export function selectKeys(db: Kysely<RegistrySchema> | RegistryTransaction) {
  return db.selectFrom('api_keys').select(columns)
}

export async function updateKey(
  trx: RegistryTransaction,
  id: string,
  values: UpdateObject<RegistrySchema, 'api_keys'>,
): Promise<ApiKey> {
  const row = await trx
    .updateTable('api_keys')
    .set(values)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toApiKey(row)
}

export function toApiKey({
  lastFour,
  ...row
}: Omit<ApiKey, 'hint'> & { lastFour: string }): ApiKey {
  return { ...row, hint: keyHint(row.id, lastFour) }
}
