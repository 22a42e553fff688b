import { type Kysely, sql } from 'kysely'
import { violates } from '../../platform/database.ts'
import { lockActiveApplication } from './applications.ts'
import { checkExpiry, expiryAfter } from './expiry.ts'
import { generateKey, keyHint, type ParsedKey } from './key-format.ts'
import { keyMac, type Peppers } from './key-mac.ts'
import { keyState } from './key-state.ts'
import { plainName } from './name.ts'
import type { Page } from './page.ts'
import { RegistryConflict, RegistryInputInvalid, RegistryNotFound } from './registry-errors.ts'
import type { RegistrySchema } from './schema.ts'
import { change, isUuid, type RegistryTransaction } from './transaction.ts'

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
}

/** The only response that contains the key itself. Tollgate stores only its MAC. */
export interface IssuedKey extends ApiKey {
  readonly key: string
}

/** `by` is the actor in the audit. */
export interface Keys {
  /**
   * Issues a key. Once this resolves, the key is stored durably.
   *
   * `name` defaults to `key-<id>`.
   *
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} name-taken, keys-limit
   * @throws {RegistryInputInvalid} an invalid name, an expiry in the
   * past or after the year 9999
   */
  issue(input: {
    applicationId: string
    name?: string | undefined
    expiresAt?: Date | undefined
    by: string
  }): Promise<IssuedKey>
  /**
   * Issues a key that replaces another. The old key works for `overlapSeconds`
   * more (0 to 30 days), but not beyond its own expiry. The new key gets the
   * old name and, if the old key had an expiry, the same lifetime. A key can
   * have only one overlap at a time, or rotations would multiply the working
   * keys.
   *
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} key-inactive (replaced, revoked or expired
   * already), key-overlap
   * @throws {RegistryInputInvalid}
   */
  rotate(input: { id: string; overlapSeconds: number; by: string }): Promise<IssuedKey>
  /** Idempotent. Every gateway refuses the key within a second. @throws {RegistryNotFound} */
  revoke(input: { id: string; by: string }): Promise<ApiKey>
  find(id: string): Promise<ApiKey | undefined>
  /** Every key of the application, old ones included, oldest first. */
  list(options: { applicationId: string }): Promise<ApiKey[]>
  /** A page of the keys for display: working keys first, newest first. */
  page(options: { applicationId: string; page: Page }): Promise<ApiKey[]>
}

export interface KeysOptions {
  readonly db: Kysely<RegistrySchema>
  readonly peppers: Peppers
  /** Maximum number of active keys per application. */
  readonly perApplication: number
  readonly now: () => number
  readonly randomBytes: (size: number) => Buffer
}

const overlapSecondsMax = 30 * 24 * 3600

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
] as const

export function createKeys({ db, peppers, perApplication, now, randomBytes }: KeysOptions): Keys {
  async function insert(
    trx: RegistryTransaction,
    input: {
      key: ParsedKey
      applicationId: string
      name?: string | undefined
      expiresAt: Date | null
    },
  ): Promise<IssuedKey> {
    const { id, text } = input.key
    const mac = keyMac(peppers, peppers.current, text)
    if (mac === undefined) throw new Error('the current pepper is missing')
    const row = await trx
      .insertInto('api_keys')
      .values({
        id,
        application_id: input.applicationId,
        name: input.name ?? `key-${id}`,
        mac,
        pepper_version: peppers.current,
        last_four: text.slice(-4),
        expires_at: input.expiresAt,
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
    return { ...toApiKey(row), key: text }
  }

  return {
    issue: ({ applicationId, name: given, expiresAt, by }) =>
      change(db, async (trx, leave) => {
        const name = given === undefined ? undefined : plainName(given)
        if (expiresAt !== undefined) checkExpiry(expiresAt, now())
        await lockActiveApplication(trx, applicationId)
        await retireExpired(trx, applicationId)
        const { count } = await trx
          .selectFrom('api_keys')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('application_id', '=', applicationId)
          .where('revoked_at', 'is', null)
          .where('replaced_by', 'is', null)
          .executeTakeFirstOrThrow()
        if (count >= perApplication) {
          throw new RegistryConflict(
            'keys-limit',
            `an application may have at most ${perApplication} active keys; revoke one first`,
            { limit: perApplication },
          )
        }
        const issued = await insert(trx, {
          key: generateKey(randomBytes),
          applicationId,
          name,
          expiresAt: expiresAt ?? null,
        })
        await leave(traces(issued, 'issue', by))
        return issued
      }).catch(translateName),

    rotate: ({ id, overlapSeconds, by }) =>
      change(db, async (trx, leave) => {
        if (
          !Number.isInteger(overlapSeconds) ||
          overlapSeconds < 0 ||
          overlapSeconds > overlapSecondsMax
        ) {
          throw new RegistryInputInvalid(
            'overlapSeconds',
            `a whole number from 0 to ${overlapSecondsMax}`,
          )
        }
        // Locks the application first, as every other change does, to avoid deadlocks.
        const { applicationId } = await findKey(trx, id)
        await lockActiveApplication(trx, applicationId)
        const old = await lockKey(trx, id)
        const at = now()
        if (keyState(old, at) !== 'active') {
          throw new RegistryConflict('key-inactive', `the key is ${keyState(old, at)} already`)
        }
        const predecessors = await trx
          .selectFrom('api_keys')
          .select(columns)
          .where('replaced_by', '=', id)
          .execute()
        if (overlapSeconds > 0 && predecessors.some((key) => isWorking(toApiKey(key), at))) {
          throw new RegistryConflict(
            'key-overlap',
            'the key replaced by the last rotation still works; revoke it first or rotate without overlap',
          )
        }
        const key = generateKey(randomBytes)
        await trx
          .updateTable('api_keys')
          .set(
            overlapSeconds === 0
              ? { replaced_by: key.id, revoked_at: sql`now()` }
              : { replaced_by: key.id, expires_at: overlapEnd(old, at, overlapSeconds) },
          )
          .where('id', '=', id)
          .execute()
        const issued = await insert(trx, {
          key,
          applicationId,
          name: old.name,
          expiresAt:
            old.expiresAt === null
              ? null
              : expiryAfter(old.expiresAt.getTime() - old.createdAt.getTime(), at),
        })
        await leave(traces(old, overlapSeconds === 0 ? 'revoke' : 'replace', by, issued.id))
        await leave(traces(issued, 'issue', by))
        return issued
      }).catch(translateName),

    revoke: ({ id, by }) =>
      change(db, async (trx, leave) => {
        const found = await lockKey(trx, id)
        if (found.revokedAt !== null) return found
        const revoked = await trx
          .updateTable('api_keys')
          .set({ revoked_at: sql`now()` })
          .where('id', '=', id)
          .returning(columns)
          .executeTakeFirstOrThrow()
        await leave(traces(found, 'revoke', by))
        return toApiKey(revoked)
      }),

    async find(id) {
      if (!isKeyId(id)) return undefined
      const row = await db
        .selectFrom('api_keys')
        .select(columns)
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? undefined : toApiKey(row)
    },

    async list({ applicationId }) {
      if (!isUuid(applicationId)) return []
      const rows = await db
        .selectFrom('api_keys')
        .select(columns)
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toApiKey)
    },

    async page({ applicationId, page: { limit, after } }) {
      if (!isUuid(applicationId)) return []
      const isOver = sql<boolean>`coalesce(least(revoked_at, expires_at) <= now(), false)`
      // Ascending: a working key (false) comes before an expired one (true), and a newer key has the smaller negated time.
      const place = sql`${isOver}, -extract(epoch from created_at), id`
      const seen = sql`select ${place} from api_keys where id = ${after} and application_id = ${applicationId}`
      const rows = await db
        .selectFrom('api_keys')
        .select(columns)
        .where('application_id', '=', applicationId)
        .$if(after !== undefined, (query) => query.where(sql<boolean>`(${place}) > (${seen})`))
        .orderBy(isOver)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toApiKey)
    },
  }
}

/** Whether the text has the form of a key's id. */
function isKeyId(id: string): boolean {
  return /^[0-9A-Za-z]{12}$/.test(id)
}

function isWorking(key: ApiKey, at: number): boolean {
  const state = keyState(key, at)
  return state === 'active' || state === 'replaced'
}

/** Expired keys release their names and places. */
async function retireExpired(trx: RegistryTransaction, applicationId: string): Promise<void> {
  await trx
    .updateTable('api_keys')
    .set({ revoked_at: sql`expires_at` })
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '<=', sql<Date>`now()`)
    .execute()
}

function overlapEnd(old: ApiKey, at: number, overlapSeconds: number): Date {
  const end = at + overlapSeconds * 1000
  return new Date(Math.min(end, old.expiresAt?.getTime() ?? end))
}

async function findKey(trx: RegistryTransaction, id: string): Promise<ApiKey> {
  const row = await trx
    .selectFrom('api_keys')
    .select(columns)
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw new RegistryNotFound('key', id)
  return toApiKey(row)
}

async function lockKey(trx: RegistryTransaction, id: string): Promise<ApiKey> {
  const row = await trx
    .selectFrom('api_keys')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new RegistryNotFound('key', id)
  return toApiKey(row)
}

function traces(key: ApiKey, action: string, by: string, replacedBy?: string) {
  return {
    change: { kind: 'key', action, applicationId: key.applicationId, keyId: key.id },
    audit: {
      actor: by,
      action: `key.${action}`,
      subject: `key:${key.id}`,
      detail: {
        applicationId: key.applicationId,
        ...(replacedBy === undefined ? {} : { replacedBy }),
      },
    },
  } as const
}

function toApiKey({ lastFour, ...row }: Omit<ApiKey, 'hint'> & { lastFour: string }): ApiKey {
  return { ...row, hint: keyHint(row.id, lastFour) }
}

function translateName(error: unknown): never {
  if (violates(error, 'api_keys_name')) {
    throw new RegistryConflict('name-taken', 'the application has an active key of that name', {
      cause: error,
    })
  }
  throw error
}
