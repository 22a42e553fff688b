import type { Kysely } from 'kysely'
import type { Language } from '../../../messages/language.ts'
import { change } from '../../../registry/transaction.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema } from '../schema.ts'
import { endSessions } from './end-sessions.ts'
import { endMailTokens, issueMailToken, takeOwnMailToken } from './mail-tokens.ts'
import { lockAddressOwner } from './sign-ups.ts'
import { updateDeveloper } from './update-developer.ts'

/** Lets a developer set a new password, or a first one, by a link to their address. */
export interface PasswordResets {
  /**
   * Creates the link and writes the mail. The mail has no recipient if the
   * address is unknown, or its owner signs in through the OpenID Connect
   * provider. All cases leave the same rows.
   */
  request(input: {
    email: string
    outbox: Outbox
    /** Language of the request. */
    language: Language
  }): Promise<void>
  /**
   * Uses the link: sets the password, resets the failed attempts and codes, and
   * ends every session and every other link of the developer, who gets a mail.
   * @returns whether it succeeded; false when the link was used or has expired
   */
  complete(input: {
    token: string
    passwordHash: string
    at: Date
    outbox: Outbox
    language: Language
  }): Promise<boolean>
}

export function createPasswordResets({ db }: { db: Kysely<PortalSchema> }): PasswordResets {
  return {
    request: ({ email, outbox, language }) =>
      db.transaction().execute(async (trx) => {
        const owner = await lockAddressOwner(trx, email)
        const known = owner?.isProvided === true ? undefined : owner
        const token = await issueMailToken(trx, {
          purpose: 'password-reset',
          developerId: known?.id ?? null,
          email,
          name: null,
        })
        await outbox.post(trx, { kind: 'password-reset', token }, known?.email, language)
      }),

    complete: ({ token, passwordHash, at, outbox, language }) =>
      change(db, async (trx, record) => {
        const link = await takeOwnMailToken(trx, 'password-reset', token)
        if (link === undefined) return false
        const { developerId, ownerEmail } = link
        const values = { password_hash: passwordHash, failed_sign_ins: 0, failed_codes: 0 }
        await updateDeveloper(trx, developerId, values)
        await endSessions(trx, developerId)
        await endMailTokens(trx, developerId)
        const by = `developer:${developerId}`
        const changed = { kind: 'developer', action: 'update', developerId } as const
        await record(changed, { by, action: 'developer.reset-password' })
        await outbox.post(trx, { kind: 'password-changed', at }, ownerEmail, language)
        return true
      }),
  }
}
