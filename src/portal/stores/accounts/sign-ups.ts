import { type Kysely, sql } from 'kysely'
import type { Language } from '../../../messages/language.ts'
import { violates } from '../../../platform/database/database.ts'
import { plainName } from '../../../registry/name.ts'
import { change } from '../../../registry/transaction.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { issueMailToken, takeMailToken } from './mail-tokens.ts'
import { sameAddress } from './same-address.ts'
import { keepAcceptance } from './terms.ts'

/** Signs developers up by a link to the address they gave. The developer exists only once the link was used. */
export interface SignUps {
  /**
   * Creates the link and writes the mail; for an already registered address,
   * without a link. Both cases leave the same rows.
   */
  request(input: {
    email: string
    name: string
    outbox: Outbox
    /** Language of the request. */
    language: Language
  }): Promise<void>
  /**
   * Uses the link and creates the developer. @returns the developer's id;
   * undefined when the link was used or has expired, or the address was
   * registered meanwhile
   */
  complete(input: {
    token: string
    passwordHash: string
    isApproved: boolean
    /** The terms that are accepted with it; undefined: the bank has no terms. */
    termsVersion?: string | undefined
    /** Language of future mails. */
    language: Language
  }): Promise<string | undefined>
}

export function createSignUps({ db }: { db: Kysely<PortalSchema> }): SignUps {
  return {
    request: ({ email, name, outbox, language }) =>
      db.transaction().execute(async (trx) => {
        const owner = await lockAddressOwner(trx, email)
        const token = await issueMailToken(trx, {
          purpose: 'sign-up',
          developerId: null,
          email,
          name: plainName(name),
        })
        if (owner === undefined) await outbox.post(trx, { kind: 'sign-up', token }, email, language)
        else await outbox.post(trx, { kind: 'known-address' }, owner.email, language)
      }),

    complete: ({ token, passwordHash, isApproved, termsVersion, language }) =>
      change(db, async (trx, record) => {
        const link = await takeMailToken(trx, 'sign-up', token)
        if (link === undefined) return undefined
        const { id } = await trx
          .insertInto('developers')
          .values({
            email: link.email,
            name: link.name ?? '',
            password_hash: passwordHash,
            approved_at: isApproved ? sql`now()` : null,
            language,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        const created = { kind: 'developer', action: 'create', developerId: id } as const
        if (termsVersion !== undefined) {
          await keepAcceptance(trx, { developerId: id, version: termsVersion })
        }
        await record(created, {
          by: `developer:${id}`,
          action: 'developer.sign-up',
          ...(termsVersion === undefined ? {} : { detail: { terms: termsVersion } }),
        })
        return id
      }).catch((error: unknown) => {
        if (violates(error, 'developers_email')) return undefined
        throw error
      }),
  }
}

/** Finds the developer with an address, in any case of letters. */
export function findAddressOwner(
  trx: PortalTransaction,
  email: string,
): Promise<AddressOwner | undefined> {
  return selectAddress(trx, email).executeTakeFirst()
}

/**
 * {@link findAddressOwner}, with a lock on the owner until the transaction
 * ends, so that the owner still exists when it commits.
 */
export function lockAddressOwner(
  trx: PortalTransaction,
  email: string,
): Promise<AddressOwner | undefined> {
  return selectAddress(trx, email).forNoKeyUpdate().executeTakeFirst()
}

interface AddressOwner {
  readonly id: string
  readonly email: string
  /** Whether they sign in through the OpenID Connect provider. */
  readonly isProvided: boolean
}

function selectAddress(trx: PortalTransaction, email: string) {
  return trx
    .selectFrom('developers')
    .select(['id', 'email', sql<boolean>`oidc_subject is not null`.as('isProvided')])
    .where(sameAddress(email))
}
