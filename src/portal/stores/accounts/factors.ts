import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../../platform/database/uuid.ts'
import { type Developer, lockDeveloper } from '../../../registry/applications/developer.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import { conflictAt } from '../../../registry/conflict-at.ts'
import { plainName } from '../../../registry/name.ts'
import { RegistryConflict } from '../../../registry/registry-errors.ts'
import { change } from '../../../registry/transaction.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { auditOwn } from './audit-own.ts'
import { endSessions, endSessionsWhere } from './end-sessions.ts'
import { issueMailToken, takeOwnMailToken } from './mail-tokens.ts'
import { hasFactor } from './sessions.ts'
import { hashOf } from './token.ts'
import { updateDeveloper } from './update-developer.ts'

/** A passkey of a developer, as the database stores it. */
export interface Passkey {
  readonly id: string
  /** base64url */
  readonly credentialId: string
  /** COSE_Key */
  readonly publicKey: Buffer
  /** Number of signatures that the authenticator has counted; 0 if it does not count them. */
  readonly counter: number
  /** Names from WebAuthn: `internal`, `usb` … */
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** The second factors of a developer. */
export interface FactorSet {
  readonly totp: {
    /** The encrypted secret, as in {@link NewFactor}. */
    readonly sealed: Buffer
    readonly createdAt: Date
    readonly lastUsedAt: Date | null
  } | null
  /** Oldest first. */
  readonly passkeys: readonly Passkey[]
  readonly recoveryCodesLeft: number
}

/** A second factor whose owner has just shown that it works. */
export type NewFactor =
  | {
      readonly kind: 'totp'
      readonly sealed: Buffer
      /** Time step of the code that its owner entered. */
      readonly step: number
    }
  | ({ readonly kind: 'passkey' } & Pick<
      Passkey,
      'credentialId' | 'publicKey' | 'counter' | 'transports' | 'name'
    >)

/** The second factors of developers. Each change leaves an audit entry and writes a mail to the owner. */
export interface Factors {
  find(developerId: string): Promise<FactorSet>
  /** Uses up the code of a time step. @returns false if this code or a later one was used before */
  spendTotpStep(input: { developerId: string; step: number }): Promise<boolean>
  /** Stores the authenticator's counter. @returns false if the passkey is gone, or an equal or higher counter is stored */
  noteUse(input: { id: string; counter: number }): Promise<boolean>
  /** Uses a recovery code up. @returns whether the developer had it */
  spendRecoveryCode(input: {
    developerId: string
    hash: Buffer
    at: Date
    outbox: Outbox
  }): Promise<boolean>
  /**
   * Counts a code before it is compared. Undefined after {@link wrongCodesMax}
   * wrong codes in a row: the password has probably been stolen, and a new
   * password resets the count.
   */
  countCode(developerId: string): Promise<number | undefined>
  /** Resets the count after a correct code. */
  forgiveCodes(developerId: string): Promise<void>
  /** Writes a mail to the owner about many wrong codes. */
  warn(input: { developerId: string; outbox: Outbox }): Promise<void>
  /**
   * Adds a factor. The first one also stores the recovery codes and ends all
   * sessions except the one with this id.
   *
   * @returns whether the recovery codes were stored
   * @throws {RegistryConflict} factor-exists, passkeys-limit
   */
  add(input: {
    developerId: string
    sessionId: string
    factor: NewFactor
    recoveryHashes: readonly Buffer[]
    at: Date
    outbox: Outbox
  }): Promise<boolean>
  /**
   * Removes an authenticator app, or the passkey with this id. Also removes the
   * recovery codes with the last factor.
   *
   * @param input.isRequired whether every developer needs a factor, not only operators
   * @returns whether it existed
   * @throws {RegistryConflict} last-factor, where one is needed
   */
  remove(input: {
    developerId: string
    factor: { readonly kind: 'totp' } | { readonly kind: 'passkey'; readonly id: string }
    isRequired: boolean
    at: Date
    outbox: Outbox
  }): Promise<boolean>
  /** Replaces the recovery codes. @returns whether the developer has a factor */
  replaceRecoveryCodes(input: {
    developerId: string
    recoveryHashes: readonly Buffer[]
    at: Date
    outbox: Outbox
  }): Promise<boolean>
  /** Removes every factor and ends every session. A portal reads the change and writes a mail. @throws {RegistryNotFound} */
  reset(input: { developerId: string; by: string }): Promise<Developer>
  /**
   * Creates the link by which an operator without a factor adds the first one.
   *
   * @returns the token; undefined if the account has a factor, or its owner signs in through the OpenID Connect
   *   provider, which is responsible for second factors
   * @throws {RegistryNotFound}
   */
  issueEnrolment(input: { developerId: string; by: string }): Promise<string | undefined>
  /**
   * Uses the link of an enrolment: adds the first factor and stores the recovery
   * codes. `password` is the stored hash against which the password was checked
   * or, for an account without a password, the hash of its first one.
   *
   * @returns false when the link was used or has expired, the password changed
   *   meanwhile, or the account has a factor
   */
  enrol(input: {
    token: string
    password: { readonly checkedHash: string } | { readonly firstHash: string }
    factor: NewFactor
    recoveryHashes: readonly Buffer[]
    at: Date
    outbox: Outbox
  }): Promise<boolean>
}

/** Wrong codes in a row after which no code is compared (NIST SP 800-63B, 5.2.2). */
export const wrongCodesMax = 100

/** Maximum number of passkeys of one developer. */
const passkeysMax = 20

export function createFactors({ db }: { readonly db: Kysely<PortalSchema> }): Factors {
  return {
    find: (developerId) => findFactors(db, developerId),

    async spendTotpStep({ developerId, step }) {
      const { numUpdatedRows } = await db
        .updateTable('totp_secrets')
        .set({ last_step: step, last_used_at: sql`now()` })
        .where('developer_id', '=', developerId)
        .where('last_step', '<', step)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async noteUse({ id, counter }) {
      const { numUpdatedRows } = await db
        .updateTable('passkeys')
        .set({ counter, last_used_at: sql`now()` })
        .where('id', '=', id)
        // If one response is used twice at once, the second use finds the counter already stored (WebAuthn 6.1.1).
        .where((eb) => eb.or([eb('counter', '<', counter), eb.val(counter === 0)]))
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    spendRecoveryCode: ({ developerId, hash, at, outbox }) =>
      db.transaction().execute(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('recovery_codes')
          .where('hash', '=', hash)
          .where('developer_id', '=', developerId)
          .executeTakeFirst()
        if (numDeletedRows === 0n) return false
        await auditOwn(trx, developerId, 'factor.use-recovery-code')
        const email = await addressOf(trx, developerId)
        await outbox.post(trx, { kind: 'recovery-code-used', at }, email)
        return true
      }),

    async countCode(developerId) {
      const row = await db
        .updateTable('developers')
        .set({ failed_codes: sql`failed_codes + 1` })
        .where('id', '=', developerId)
        .where('failed_codes', '<', wrongCodesMax)
        .returning('failed_codes as failures')
        .executeTakeFirst()
      return row?.failures
    },

    forgiveCodes: (developerId) => updateDeveloper(db, developerId, { failed_codes: 0 }),

    warn: ({ developerId, outbox }) =>
      db.transaction().execute(async (trx) => {
        await outbox.post(trx, { kind: 'codes-refused' }, await addressOf(trx, developerId))
        const subject = `developer:${developerId}`
        await recordAudit(trx, { actor: 'system', action: 'factor.warn', subject })
      }),

    add: ({ developerId, sessionId, factor, recoveryHashes, at, outbox }) =>
      db
        .transaction()
        .execute(async (trx) => {
          const own = hashOf(sessionId)
          const { email } = await lockDeveloper(trx, developerId)
          const isFirst = await addFactor(trx, developerId, factor, recoveryHashes)
          if (isFirst) {
            await endSessionsWhere(trx, (eb) =>
              eb.and([eb('developer_id', '=', developerId), eb('id_hash', '!=', own)]),
            )
          }
          await trx
            .updateTable('sessions')
            .set({ factor: factor.kind, proved_at: sql`now()` })
            .where('id_hash', '=', own)
            .where('developer_id', '=', developerId)
            .execute()
          await outbox.post(trx, { kind: 'factor-added', factor: factor.kind, at }, email)
          return isFirst
        })
        .catch(translateApp)
        .catch(translatePasskey),

    remove: ({ developerId, factor, isRequired, at, outbox }) =>
      db.transaction().execute(async (trx) => {
        const { email, isOperator } = await lockDeveloper(trx, developerId)
        if (!(await deleteFactor(trx, developerId, factor))) return false
        if (!(await hasFactor(trx, developerId))) {
          if (isOperator || isRequired) {
            throw new RegistryConflict(
              'last-factor',
              'you need a second factor; add another one first',
            )
          }
          await trx.deleteFrom('recovery_codes').where('developer_id', '=', developerId).execute()
        }
        await auditOwn(trx, developerId, 'factor.remove', { factor: factor.kind })
        await outbox.post(trx, { kind: 'factor-removed', factor: factor.kind, at }, email)
        return true
      }),

    replaceRecoveryCodes: ({ developerId, recoveryHashes, at, outbox }) =>
      db.transaction().execute(async (trx) => {
        const { email } = await lockDeveloper(trx, developerId)
        if (!(await hasFactor(trx, developerId))) return false
        await storeRecoveryCodes(trx, developerId, recoveryHashes)
        await auditOwn(trx, developerId, 'factor.replace-recovery-codes')
        await outbox.post(trx, { kind: 'recovery-codes-replaced', at }, email)
        return true
      }),

    reset: ({ developerId, by }) =>
      change(db, async (trx, record) => {
        const found = await lockDeveloper(trx, developerId)
        for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const) {
          await trx.deleteFrom(table).where('developer_id', '=', developerId).execute()
        }
        await endSessions(trx, developerId, by)
        await updateDeveloper(trx, developerId, { failed_codes: 0 })
        await record(
          { kind: 'developer', action: 'reset-factor', developerId },
          { by, action: 'factor.reset' },
        )
        return found
      }),

    issueEnrolment: ({ developerId, by }) =>
      db.transaction().execute(async (trx) => {
        const { email } = await lockDeveloper(trx, developerId)
        const { isProvided } = await trx
          .selectFrom('developers')
          .select(sql<boolean>`oidc_subject is not null`.as('isProvided'))
          .where('id', '=', developerId)
          .executeTakeFirstOrThrow()
        if (isProvided || (await hasFactor(trx, developerId))) return undefined
        const subject = `developer:${developerId}`
        await recordAudit(trx, { actor: by, action: 'factor.issue-enrolment', subject })
        return issueMailToken(trx, { purpose: 'enrolment', developerId, email, name: null })
      }),

    enrol: ({ token, password, factor, recoveryHashes, at, outbox }) =>
      db
        .transaction()
        .execute(async (trx) => {
          const link = await takeOwnMailToken(trx, 'enrolment', token)
          if (link === undefined) return false
          const { developerId, ownerEmail } = link
          const known = 'firstHash' in password ? null : password.checkedHash
          const { numUpdatedRows } = await trx
            .updateTable('developers')
            .set({ password_hash: 'firstHash' in password ? password.firstHash : known })
            .where('id', '=', developerId)
            .where('password_hash', known === null ? 'is' : '=', known)
            .executeTakeFirst()
          if (numUpdatedRows === 0n || (await hasFactor(trx, developerId))) throw new Unfit()
          await addFactor(trx, developerId, factor, recoveryHashes)
          await endSessions(trx, developerId)
          await outbox.post(trx, { kind: 'factor-added', factor: factor.kind, at }, ownerEmail)
          return true
        })
        .catch((error: unknown) => {
          if (error instanceof Unfit) return false
          throw error
        })
        .catch(translateApp)
        .catch(translatePasskey),
  }
}

/** Rolls back a transaction whose result is false. */
class Unfit extends Error {}

async function findFactors(db: Kysely<PortalSchema>, developerId: string): Promise<FactorSet> {
  const [totp, passkeys, codes] = await Promise.all([
    db
      .selectFrom('totp_secrets')
      .select(['sealed', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
      .where('developer_id', '=', developerId)
      .executeTakeFirst(),
    db
      .selectFrom('passkeys')
      .select([
        'id',
        'credential_id as credentialId',
        'public_key as publicKey',
        'counter',
        'transports',
        'name',
        'created_at as createdAt',
        'last_used_at as lastUsedAt',
      ])
      .where('developer_id', '=', developerId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    db
      .selectFrom('recovery_codes')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .where('developer_id', '=', developerId)
      .executeTakeFirstOrThrow(),
  ])
  return {
    totp: totp ?? null,
    passkeys: passkeys.map(({ transports, ...passkey }) => ({
      ...passkey,
      transports: transports === '' ? [] : transports.split(' '),
    })),
    recoveryCodesLeft: codes.left,
  }
}

/** Needs a lock on the developer. @returns whether this is the developer's first factor */
async function addFactor(
  trx: PortalTransaction,
  developerId: string,
  factor: NewFactor,
  recoveryHashes: readonly Buffer[],
): Promise<boolean> {
  const isFirst = !(await hasFactor(trx, developerId))
  if (factor.kind === 'totp') {
    await trx
      .insertInto('totp_secrets')
      .values({ developer_id: developerId, sealed: factor.sealed, last_step: factor.step })
      .execute()
  } else {
    const { count } = await trx
      .selectFrom('passkeys')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('developer_id', '=', developerId)
      .executeTakeFirstOrThrow()
    if (count >= passkeysMax) {
      const text = `you may have at most ${passkeysMax} passkeys`
      throw new RegistryConflict('passkeys-limit', text, { limit: passkeysMax })
    }
    await trx
      .insertInto('passkeys')
      .values({
        developer_id: developerId,
        credential_id: factor.credentialId,
        public_key: factor.publicKey,
        counter: factor.counter,
        transports: factor.transports.join(' '),
        name: plainName(factor.name),
      })
      .execute()
  }
  if (isFirst) await storeRecoveryCodes(trx, developerId, recoveryHashes)
  await auditOwn(trx, developerId, 'factor.add', { factor: factor.kind })
  return isFirst
}

async function deleteFactor(
  trx: PortalTransaction,
  developerId: string,
  factor: Parameters<Factors['remove']>[0]['factor'],
): Promise<boolean> {
  if (factor.kind === 'passkey' && !isUuid(factor.id)) return false
  const { numDeletedRows } =
    factor.kind === 'totp'
      ? await trx
          .deleteFrom('totp_secrets')
          .where('developer_id', '=', developerId)
          .executeTakeFirst()
      : await trx
          .deleteFrom('passkeys')
          .where('id', '=', factor.id)
          .where('developer_id', '=', developerId)
          .executeTakeFirst()
  return numDeletedRows > 0n
}

async function storeRecoveryCodes(
  trx: PortalTransaction,
  developerId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('developer_id', '=', developerId).execute()
  await trx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ hash, developer_id: developerId })))
    .execute()
}

async function addressOf(trx: PortalTransaction, developerId: string): Promise<string> {
  const { email } = await trx
    .selectFrom('developers')
    .select('email')
    .where('id', '=', developerId)
    .executeTakeFirstOrThrow()
  return email
}

const translateApp = conflictAt(
  'totp_secrets_pkey',
  'factor-exists',
  'you already have an authenticator app; remove it first',
)
const translatePasskey = conflictAt(
  'passkeys_credential',
  'factor-exists',
  'this passkey is already registered',
)
