import type { Kysely } from 'kysely'
import { change } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { endSessions } from './end-sessions.ts'
import { endMailTokens, issueMailToken, takeOwnMailToken } from './mail-tokens.ts'
import { lockAddress } from './sign-ups.ts'

/** Lets a developer set a new password, or a first one, by a link to their address. */
export interface PasswordResets {
  /**
   * Creates the link. `post` writes the mail; for an unknown address the mail
   * has no recipient, and neither for one who signs in through the OpenID
   * Connect provider. All cases leave the same rows.
   */
  request(input: {
    email: string
    post: (trx: PortalTransaction, to: string | undefined, token: string) => Promise<void>
  }): Promise<void>
  /**
   * Uses the link: sets the password, resets the failed attempts and codes, and
   * ends every session and every other link of the developer. `post` writes the mail
   * to the owner. @returns whether it succeeded; false when the link was used
   * or has expired
   */
  complete(input: {
    token: string
    passwordHash: string
    post: (trx: PortalTransaction, to: string) => Promise<void>
  }): Promise<boolean>
}

export function createPasswordResets({ db }: { db: Kysely<PortalSchema> }): PasswordResets {
  return {
    request: ({ email, post }) =>
      db.transaction().execute(async (trx) => {
        const owner = await lockAddress(trx, email)
        const known = owner?.isProvided === true ? undefined : owner
        const token = await issueMailToken(trx, {
          purpose: 'password-reset',
          developerId: known?.id ?? null,
          email,
          name: null,
        })
        await post(trx, known?.email, token)
      }),

    complete: ({ token, passwordHash, post }) =>
      change(db, async (trx, leave) => {
        const link = await takeOwnMailToken(trx, 'password-reset', token)
        if (link === undefined) return false
        const { developerId, ownerEmail } = link
        await trx
          .updateTable('developers')
          .set({ password_hash: passwordHash, failed_sign_ins: 0, failed_codes: 0 })
          .where('id', '=', developerId)
          .execute()
        await endSessions(trx, developerId)
        await endMailTokens(trx, developerId)
        const by = `developer:${developerId}`
        const changed = { kind: 'developer', action: 'update', developerId } as const
        await leave(changed, { by, action: 'developer.reset-password' })
        await post(trx, ownerEmail)
        return true
      }),
  }
}
