import { type Kysely, sql } from 'kysely'
import type { Language } from '../../../messages/language.ts'
import { violates } from '../../../platform/database/database.ts'
import { isUuid } from '../../../platform/database/uuid.ts'
import type { Developer } from '../../../registry/applications/developer.ts'
import type { ChangeOf } from '../../../registry/feed/change.ts'
import { plainName } from '../../../registry/name.ts'
import { change } from '../../../registry/transaction.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema } from '../schema.ts'
import { auditOwn } from './audit-own.ts'
import { endSessions } from './end-sessions.ts'
import { endMailTokens, issueMailToken, takeOwnMailToken } from './mail-tokens.ts'
import { findAddressOwner } from './sign-ups.ts'
import { type AcceptedTerms, newestAcceptance } from './terms.ts'
import { updateDeveloper } from './update-developer.ts'

/** Which mails a developer gets in addition to those about the account itself. */
export interface MailChoices {
  readonly limits: boolean
  readonly deprecations: boolean
  readonly expiry: boolean
}

/** What developers see about themselves. */
export interface Profile extends Omit<Developer, 'suspendedAt'> {
  /** The new address of a change that waits for its link to be used; null: no change is pending. */
  readonly pendingEmail: string | null
  /** `provider`: the OpenID Connect provider, which also supplies name and address. */
  readonly signsInWith: 'password' | 'provider'
  readonly mails: MailChoices
  /** Language of mails and, if the browser states none, of pages; null: not known yet. */
  readonly language: Language | null
  /** The terms that the developer accepted last; null: none yet. */
  readonly acceptedTerms: AcceptedTerms | null
}

/** How developers see and change their own data. */
export interface Profiles {
  /** Undefined: there is no such developer. */
  find(developerId: string): Promise<Profile | undefined>
  /**
   * Applies the given changes, all or none, if the developer still has the
   * checked password and is not suspended.
   *
   * - `passwordHash`: ends every session of the developer, who gets a mail.
   * - `email`: creates a link for the new address and writes the mail, without
   *   the link when the address belongs to another developer. Both cases leave
   *   the same rows. The address changes with {@link confirmEmail}.
   *
   * @returns whether it applied them
   */
  update(input: {
    developerId: string
    checkedHash: string
    name?: string | undefined
    passwordHash?: string | undefined
    email?: string | undefined
    at: Date
    outbox: Outbox
    /** Language of the request. */
    language: Language
  }): Promise<boolean>
  /**
   * Uses the link for a new address, ends the developer's other links and
   * writes a mail to the old address.
   *
   * @returns whether it succeeded; false when the link was used or has expired,
   * or the address now belongs to another developer
   */
  confirmEmail(input: {
    token: string
    at: Date
    outbox: Outbox
    language: Language
  }): Promise<boolean>
  /** Stores the name. For a deleted developer this does nothing. @throws {RegistryInputInvalid} */
  rename(input: { developerId: string; name: string }): Promise<void>
  /** Stores the given choices. For a deleted developer this does nothing. */
  chooseMails(input: { developerId: string; mails: Partial<MailChoices> }): Promise<void>
  /** Stores the language of mails. For a deleted developer this does nothing. */
  chooseLanguage(input: { developerId: string; language: Language }): Promise<void>
}

export function createProfiles({ db }: { db: Kysely<PortalSchema> }): Profiles {
  return {
    async find(developerId) {
      if (!isUuid(developerId)) return undefined
      const row = await db
        .selectFrom('developers')
        .select((eb) => [
          'id',
          'email',
          'name',
          'is_operator as isOperator',
          'created_at as createdAt',
          sql<
            'password' | 'provider'
          >`case when oidc_subject is null then 'password' else 'provider' end`.as('signsInWith'),
          'mails_limits as limits',
          'mails_deprecations as deprecations',
          'mails_expiry as expiry',
          'language',
          eb
            .selectFrom('mail_tokens')
            .select('mail_tokens.email')
            .whereRef('mail_tokens.developer_id', '=', 'developers.id')
            .where('purpose', '=', 'email-change')
            .where('used_at', 'is', null)
            .where('expires_at', '>', sql<Date>`now()`)
            .limit(1)
            .as('pendingEmail'),
        ])
        .where('id', '=', developerId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { limits, deprecations, expiry, ...profile } = row
      return {
        ...profile,
        mails: { limits, deprecations, expiry },
        acceptedTerms: await newestAcceptance(db, developerId),
      }
    },

    update: ({ developerId, checkedHash, name, passwordHash, email, at, outbox, language }) =>
      change(db, async (trx, record) => {
        const found = await trx
          .updateTable('developers')
          .set({
            // The right password was given, as in a sign-in.
            failed_sign_ins: 0,
            ...(name === undefined ? {} : { name: plainName(name) }),
            ...(passwordHash === undefined ? {} : { password_hash: passwordHash, failed_codes: 0 }),
          })
          .where('id', '=', developerId)
          .where('password_hash', '=', checkedHash)
          .where('suspended_at', 'is', null)
          .returning('email')
          .executeTakeFirst()
        if (found === undefined) return false
        if (passwordHash !== undefined) {
          await endSessions(trx, developerId)
          await endMailTokens(trx, developerId)
          await outbox.post(trx, { kind: 'password-changed', at }, found.email, language)
        }
        if (email !== undefined && email !== found.email) {
          const owner = await findAddressOwner(trx, email)
          const token = await issueMailToken(trx, {
            purpose: 'email-change',
            developerId,
            email,
            name: null,
          })
          if (owner === undefined || owner.id === developerId) {
            await outbox.post(trx, { kind: 'email-change', token }, email, language)
          } else await outbox.post(trx, { kind: 'known-address' }, owner.email, language)
        }
        const changed = Object.entries({ name, password: passwordHash, email })
          .flatMap(([member, value]) => (value === undefined ? [] : [member]))
          .join(' ')
        await record(updateOf(developerId), { by: `developer:${developerId}`, detail: { changed } })
        return true
      }),

    rename: ({ developerId, name }) =>
      change(db, async (trx, record) => {
        const found = await trx
          .updateTable('developers')
          .set({ name: plainName(name) })
          .where('id', '=', developerId)
          .returning('id')
          .executeTakeFirst()
        if (found === undefined) return
        const detail = { changed: 'name' }
        await record(updateOf(developerId), { by: `developer:${developerId}`, detail })
      }),

    confirmEmail: ({ token, at, outbox, language }) =>
      change(db, async (trx, record) => {
        const link = await takeOwnMailToken(trx, 'email-change', token)
        if (link === undefined) return false
        const { developerId, ownerEmail } = link
        await updateDeveloper(trx, developerId, { email: link.email })
        // A link to the old mailbox must no longer open the account.
        await endMailTokens(trx, developerId)
        const by = `developer:${developerId}`
        await record(updateOf(developerId), { by, action: 'developer.change-email' })
        await outbox.post(trx, { kind: 'address-changed', at }, ownerEmail, language)
        return true
      }).catch((error: unknown) => {
        if (violates(error, 'developers_email')) return false
        throw error
      }),

    chooseMails: ({ developerId, mails: { limits, deprecations, expiry } }) =>
      db.transaction().execute(async (trx) => {
        const changed = await trx
          .updateTable('developers')
          .set({
            ...(limits === undefined ? {} : { mails_limits: limits }),
            ...(deprecations === undefined ? {} : { mails_deprecations: deprecations }),
            ...(expiry === undefined ? {} : { mails_expiry: expiry }),
          })
          .where('id', '=', developerId)
          .returning(['mails_limits', 'mails_deprecations', 'mails_expiry'])
          .executeTakeFirst()
        if (changed === undefined) return
        const detail = {
          limits: String(changed.mails_limits),
          deprecations: String(changed.mails_deprecations),
          expiry: String(changed.mails_expiry),
        }
        await auditOwn(trx, developerId, 'developer.choose-mails', detail)
      }),

    chooseLanguage: ({ developerId, language }) =>
      db.transaction().execute(async (trx) => {
        const changed = await trx
          .updateTable('developers')
          .set({ language })
          .where('id', '=', developerId)
          .where((eb) => eb('language', 'is distinct from', language))
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) return
        await auditOwn(trx, developerId, 'developer.choose-language', { language })
      }),
  }
}

function updateOf(developerId: string): ChangeOf<'developer'> {
  return { kind: 'developer', action: 'update', developerId }
}
