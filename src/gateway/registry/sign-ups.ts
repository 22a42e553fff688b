import { type Kysely, sql } from 'kysely'
import { violates } from '../../platform/database.ts'
import { issueMailToken, takeMailToken } from './mail-tokens.ts'
import { sameAddress } from './same-address.ts'
import type { RegistrySchema } from './schema.ts'
import { change, type RegistryTransaction } from './transaction.ts'

/** How somebody becomes a developer: by a link to the address they gave. Until it is used there is none. */
export interface SignUps {
  /**
   * Makes the link. `post` writes the mail, to the address as it is known; for
   * a known one without a token. Both leave the same rows.
   */
  request(input: {
    email: string
    name: string
    post: (trx: RegistryTransaction, to: string, token: string | undefined) => Promise<void>
  }): Promise<void>
  /**
   * Uses the link and makes the developer. @returns whether it did; not when
   * the link was used up or has expired, or the address has become known since
   */
  complete(input: { token: string; passwordHash: string; isApproved: boolean }): Promise<boolean>
}

export function createSignUps({ db }: { db: Kysely<RegistrySchema> }): SignUps {
  return {
    request: ({ email, name, post }) =>
      db.transaction().execute(async (trx) => {
        const known = await lockAddress(trx, email)
        const token = await issueMailToken(trx, {
          purpose: 'sign-up',
          developerId: null,
          email,
          name,
        })
        await post(trx, known?.email ?? email, known === undefined ? token : undefined)
      }),

    complete: ({ token, passwordHash, isApproved }) =>
      change(db, async (trx, leave) => {
        const link = await takeMailToken(trx, 'sign-up', token)
        if (link === undefined) return false
        const { id } = await trx
          .insertInto('developers')
          .values({
            email: link.email,
            name: link.name ?? '',
            password_hash: passwordHash,
            approved_at: isApproved ? sql`now()` : null,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        await leave({
          change: { kind: 'developer', action: 'create', developerId: id },
          audit: {
            actor: `developer:${id}`,
            action: 'developer.sign-up',
            subject: `developer:${id}`,
          },
        })
        return true
      }).catch((error: unknown) => {
        if (violates(error, 'developers_email')) return false
        throw error
      }),
  }
}

/** Whose address it is, in whatever case. */
export function findAddress(
  trx: RegistryTransaction,
  email: string,
): Promise<AddressOwner | undefined> {
  return selectAddress(trx, email).executeTakeFirst()
}

/** {@link findAddress}, and locks who it is until the transaction ends: what is made for them is made for somebody who is there. */
export function lockAddress(
  trx: RegistryTransaction,
  email: string,
): Promise<AddressOwner | undefined> {
  return selectAddress(trx, email).forNoKeyUpdate().executeTakeFirst()
}

interface AddressOwner {
  readonly id: string
  readonly email: string
}

function selectAddress(trx: RegistryTransaction, email: string) {
  return trx.selectFrom('developers').select(['id', 'email']).where(sameAddress(email))
}
