import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../platform/database/uuid.ts'
import { lockActiveApplication } from '../applications/applications.ts'
import { recordAudit } from '../audit/audit.ts'
import { conflictAt } from '../conflict-at.ts'
import { plainName } from '../name.ts'
import type { Page } from '../page.ts'
import { RegistryConflict, RegistryInputInvalid } from '../registry-errors.ts'
import type { RegistrySchema } from '../schema.ts'
import { change, type RegistryTransaction } from '../transaction.ts'
import { plainAddresses } from './allowed-addresses.ts'
import { type DaysMax, expiryOf, expiryOfNext } from './expiry.ts'
import { generateKey } from './key-format.ts'
import type { Peppers } from './key-mac.ts'
import {
  type ApiKey,
  type IssuedKey,
  insertKey,
  readKey,
  selectKeys,
  toApiKey,
  traces,
  updateKey,
} from './key-rows.ts'
import { isWorking, keyState } from './key-state.ts'

/** `by` is the actor in the audit. */
export interface Keys {
  /**
   * Issues a key. Once this resolves, the key is stored durably.
   *
   * `name` defaults to `key-<id>`, `expiresAt` to the longest life that the
   * settings permit, `allowedAddresses` to any address, `mayReplaceItself` to false.
   *
   * @throws {RegistryNotFound} no such application
   * @throws {RegistryConflict} name-taken, keys-limit
   * @throws {PepperUnfit} other processes could not verify it
   * @throws {RegistryInputInvalid} an invalid name or address; an expiry in the
   * past, after the year 9999 or after the longest life
   */
  issue(input: {
    applicationId: string
    name?: string | undefined
    expiresAt?: Date | undefined
    allowedAddresses?: readonly string[] | undefined
    mayReplaceItself?: boolean | undefined
    by: string
  }): Promise<IssuedKey>
  /**
   * Issues a key that replaces another. The old key works for `overlapSeconds`
   * more (0 to 30 days), but not beyond its own expiry. The new key gets the
   * old name, its allowed addresses, whether it may replace itself and, if the old key had an expiry, the same
   * lifetime, but not more than the settings permit. A key can have only one
   * overlap at a time, or rotations would multiply the working
   * keys.
   *
   * A key that replaced itself can do so again while its successor has never
   * been used: the answer may have been lost. That revokes the successor, and
   * the old key ends when it was to end.
   *
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} key-inactive (replaced, revoked or expired
   * already), key-overlap, key-not-itself
   * @throws {RegistryInputInvalid}
   *
   * @param input.isByItself only if the key may replace itself
   */
  rotate(input: {
    id: string
    overlapSeconds: number
    isByItself?: boolean
    by: string
  }): Promise<IssuedKey>
  /**
   * Sets the addresses from which a working key may be used, and whether it may
   * replace itself; omitted values stay. Every gateway applies the addresses
   * within a second.
   *
   * @throws {RegistryNotFound}
   * @throws {RegistryConflict} key-inactive (revoked or expired)
   * @throws {RegistryInputInvalid}
   */
  update(input: {
    id: string
    allowedAddresses?: readonly string[] | undefined
    mayReplaceItself?: boolean | undefined
    by: string
  }): Promise<ApiKey>
  /** Idempotent. Every gateway refuses the key within a second. @throws {RegistryNotFound} */
  revoke(input: { id: string; by: string }): Promise<ApiKey>
  /** Undefined also for a key for a page. */
  find(id: string): Promise<ApiKey | undefined>
  /** Every key of the application but those for a page, old ones included, oldest first. */
  list(options: { applicationId: string }): Promise<ApiKey[]>
  /** The working keys of all applications that are stored under a version of the pepper, oldest first. */
  underPepper(version: number): Promise<ApiKey[]>
  /** A page of the same keys: working keys first, newest first. */
  page(options: { applicationId: string; page: Page }): Promise<ApiKey[]>
  /** Deletes some of the keys that stopped working {@link deadKeyDays} days ago. */
  prune(): Promise<void>
  /**
   * Gives keys that would live longer than the settings permit the longest life
   * from now. So a maximum that is new ends no key at once.
   *
   * @returns how many keys it shortened
   */
  limitLives(): Promise<number>
}

export interface KeysOptions {
  readonly db: Kysely<RegistrySchema>
  readonly peppers: Peppers
  /** Maximum number of active keys per application. */
  readonly perApplication: number
  readonly daysMax: DaysMax
  readonly now: () => number
  readonly randomBytes: (size: number) => Buffer
}

const overlapSecondsMax = 30 * 24 * 3600

/** Days for which a developer still sees a key that no longer works. */
const deadKeyDays = 30
/** Keys deleted at a time. */
const keysPerPrune = 5_000

export function createKeys(options: KeysOptions): Keys {
  const { db, peppers, perApplication, daysMax, now, randomBytes } = options

  return {
    issue: ({ applicationId, name: given, expiresAt, allowedAddresses = [], ...input }) =>
      change(db, async (trx, record) => {
        const { mayReplaceItself = false, by } = input
        const name = given === undefined ? undefined : plainName(given)
        const end = expiryOf(expiresAt, now(), daysMax)
        const addresses = plainAddresses(allowedAddresses)
        await lockActiveApplication(trx, applicationId)
        await retireExpired(trx, applicationId)
        const { count } = await trx
          .selectFrom('api_keys')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('application_id', '=', applicationId)
          .where('revoked_at', 'is', null)
          .where('replaced_by', 'is', null)
          .where('session_id', 'is', null)
          .executeTakeFirstOrThrow()
        if (count >= perApplication) {
          throw new RegistryConflict(
            'keys-limit',
            `an application may have at most ${perApplication} active keys; revoke one first`,
            { limit: perApplication },
          )
        }
        const issued = await insertKey(trx, peppers, {
          key: generateKey(randomBytes),
          applicationId,
          name,
          expiresAt: end,
          allowedAddresses: addresses,
          mayReplaceItself,
        })
        await record(...traces(issued, 'issue', by))
        return issued
      }).catch(translateName),

    rotate: ({ id, overlapSeconds, isByItself = false, by }) =>
      change(db, async (trx, record) => {
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
        // Locks the application first, as its deletion does.
        const { applicationId } = await readKey(trx, id, { isOwn: true })
        await lockActiveApplication(trx, applicationId)
        const old = await readKey(trx, id, { isLocked: true })
        const at = now()
        if (isByItself && !old.mayReplaceItself) {
          throw new RegistryConflict('key-not-itself', 'the key may not replace itself')
        }
        const unseen = isByItself ? await findUnseen(trx, old, at) : undefined
        if (unseen === undefined && keyState(old, at) !== 'active') {
          throw new RegistryConflict('key-inactive', `the key is ${keyState(old, at)} already`)
        }
        const predecessors = await selectKeys(trx).where('replaced_by', '=', id).execute()
        if (overlapSeconds > 0 && predecessors.some((key) => isWorking(toApiKey(key), at))) {
          throw new RegistryConflict(
            'key-overlap',
            'the key replaced by the last rotation still works; revoke it first or rotate without overlap',
          )
        }
        if (unseen !== undefined) {
          await updateKey(trx, unseen.id, { revoked_at: sql`now()` })
          await record(...traces(unseen, 'revoke', by))
        }
        const key = generateKey(randomBytes)
        const end = unseen === undefined ? overlapEnd(old, at, overlapSeconds) : old.expiresAt
        await updateKey(trx, id, {
          replaced_by: key.id,
          ...(overlapSeconds === 0 ? { revoked_at: sql`now()` } : { expires_at: end }),
        })
        const issued = await insertKey(trx, peppers, {
          key,
          applicationId,
          name: old.name,
          // The old key has the end of its overlap by now.
          expiresAt: unseen === undefined ? expiryOfNext(old, at, daysMax) : unseen.expiresAt,
          allowedAddresses: old.allowedAddresses,
          mayReplaceItself: old.mayReplaceItself,
        })
        const replaced = { replacedBy: issued.id, ...(isByItself && { byItself: true as const }) }
        await record(...traces(old, overlapSeconds === 0 ? 'revoke' : 'replace', by, replaced))
        await record(...traces(issued, 'issue', by))
        return issued
      }).catch(translateName),

    update: ({ id, by, ...wanted }) =>
      change(db, async (trx, record) => {
        const found = await readKey(trx, id, { isLocked: true, isOwn: true })
        if (!isWorking(found, now())) {
          throw new RegistryConflict('key-inactive', 'the key no longer works')
        }
        const { allowedAddresses: given, mayReplaceItself = found.mayReplaceItself } = wanted
        const addresses = given === undefined ? found.allowedAddresses : plainAddresses(given)
        const hasOldAddresses = isDeepStrictEqual(found.allowedAddresses, addresses)
        const hasOldSwitch = mayReplaceItself === found.mayReplaceItself
        if (hasOldAddresses && hasOldSwitch) return found
        const key = await updateKey(trx, id, {
          allowed_addresses: [...addresses],
          may_replace_itself: mayReplaceItself,
        })
        const detail = {
          ...(!hasOldSwitch && { mayReplaceItself }),
          ...(!hasOldAddresses && { allowedAddresses: addresses.length }),
        }
        await record(...traces(key, 'update', by, detail))
        return key
      }),

    revoke: ({ id, by }) =>
      change(db, async (trx, record) => {
        const found = await readKey(trx, id, { isLocked: true })
        if (found.revokedAt !== null) return found
        const revoked = await updateKey(trx, id, { revoked_at: sql`now()` })
        await record(...traces(found, 'revoke', by))
        return revoked
      }),

    async find(id) {
      if (!isKeyId(id)) return undefined
      const row = await selectKeys(db)
        .where('id', '=', id)
        .where('session_id', 'is', null)
        .executeTakeFirst()
      return row === undefined ? undefined : toApiKey(row)
    },

    async list({ applicationId }) {
      if (!isUuid(applicationId)) return []
      const rows = await selectKeys(db)
        .where('application_id', '=', applicationId)
        .where('session_id', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toApiKey)
    },

    async underPepper(version) {
      const rows = await selectKeys(db)
        .where('pepper_version', '=', version)
        .where(sql<boolean>`coalesce(least(revoked_at, expires_at), 'infinity') > now()`)
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
      const rows = await selectKeys(db)
        .where('application_id', '=', applicationId)
        .where('session_id', 'is', null)
        .$if(after !== undefined, (query) => query.where(sql<boolean>`(${place}) > (${seen})`))
        .orderBy(isOver)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toApiKey)
    },

    async prune() {
      // A key that replaced another stays as long as the other one: the page names it.
      await sql`
        delete from api_keys where id = any(array(
          select k.id from api_keys k
          where least(k.revoked_at, k.expires_at) < now() - make_interval(days => ${deadKeyDays})
            and not exists (select from api_keys p where p.replaced_by = k.id)
          limit ${keysPerPrune} for update skip locked
        ))`.execute(db)
    },

    async limitLives() {
      if (daysMax === 0) return 0
      return db.transaction().execute(async (trx) => {
        const latest = sql<Date>`now() + make_interval(days => ${daysMax})`
        const { numUpdatedRows } = await trx
          .updateTable('api_keys')
          .set({ expires_at: latest })
          .where('revoked_at', 'is', null)
          .where(sql<boolean>`coalesce(expires_at, 'infinity') > ${latest}`)
          .executeTakeFirst()
        const shortened = Number(numUpdatedRows)
        if (shortened > 0) {
          const detail = { keys: String(shortened), days: String(daysMax) }
          const entry = { actor: 'system', action: 'key.limit-lives', subject: 'keys' }
          await recordAudit(trx, { ...entry, detail })
        }
        return shortened
      })
    },
  }
}

/** Whether the text has the form of a key's id. */
function isKeyId(id: string): boolean {
  return /^[0-9A-Za-z]{12}$/.test(id)
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

/** The successor that a key gave itself, while it works and was never used. */
async function findUnseen(
  trx: RegistryTransaction,
  old: ApiKey,
  at: number,
): Promise<ApiKey | undefined> {
  if (old.replacedBy === null || keyState(old, at) !== 'replaced') return undefined
  const successor = await readKey(trx, old.replacedBy, { isLocked: true })
  if (successor.lastUsedAt !== null || keyState(successor, at) !== 'active') return undefined
  // A person has the key that a person made.
  const byItself = await trx
    .selectFrom('audit')
    .select('id')
    .where('subject', '=', `key:${successor.id}`)
    .where('action', '=', 'key.issue')
    .where('actor', '=', `key:${old.id}`)
    .executeTakeFirst()
  return byItself === undefined ? undefined : successor
}

const translateName = conflictAt(
  'api_keys_name',
  'name-taken',
  'the application has an active key of that name',
)
