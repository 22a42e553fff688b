import { type Kysely, sql } from 'kysely'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { sameAddress } from './same-address.ts'
import { hashOf, newToken } from './token.ts'

/**
 * The purpose of a link; the link works only for that. A command prints the
 * link of an enrolment, a mail holds the others.
 */
export type MailTokenPurpose = 'sign-up' | 'password-reset' | 'email-change' | 'enrolment'

/** What a link represents. */
export interface MailToken {
  /** Null for an address that does not belong to a developer. */
  readonly developerId: string | null
  readonly email: string
  /** Only for a sign-up. */
  readonly name: string | null
}

/** The links in mails. The database stores only the SHA-256 of each token. */
export interface MailTokens {
  /** Reads without using the link up. Undefined: unknown, used, expired, or for another purpose. */
  find(purpose: MailTokenPurpose, token: string): Promise<MailToken | undefined>
  /** Deletes expired links. */
  prune(): Promise<void>
}

/** Seconds for which a link in a mail works. */
export const mailTokenSeconds = 600

/** Seconds for which the link of an enrolment works: it has to be handed over. */
export const enrolmentSeconds = 3600

const columns = ['developer_id as developerId', 'email', 'name'] as const

export function createMailTokens({ db }: { db: Kysely<PortalSchema> }): MailTokens {
  return {
    find: (purpose, token) =>
      db
        .selectFrom('mail_tokens')
        .select(columns)
        .where('hash', '=', hashOf(token))
        .where('purpose', '=', purpose)
        .where('used_at', 'is', null)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst(),

    async prune() {
      await db.deleteFrom('mail_tokens').where('expires_at', '<=', sql<Date>`now()`).execute()
    },
  }
}

/**
 * Creates a token of 256 bits that works once, for {@link mailTokenSeconds} or
 * {@link enrolmentSeconds}. Ends earlier tokens for the same purpose and person.
 *
 * @returns 43 characters base64url
 */
export async function issueMailToken(
  trx: PortalTransaction,
  { purpose, developerId, email, name }: MailToken & { purpose: MailTokenPurpose },
): Promise<string> {
  const token = newToken()
  await trx
    .updateTable('mail_tokens')
    .set({ used_at: sql`now()` })
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where((eb) =>
      purpose === 'email-change' ? eb('developer_id', '=', developerId) : sameAddress(email),
    )
    .execute()
  await trx
    .insertInto('mail_tokens')
    .values({
      hash: hashOf(token),
      purpose,
      developer_id: developerId,
      email,
      name,
      expires_at: sql`now() + make_interval(secs => ${
        purpose === 'enrolment' ? enrolmentSeconds : mailTokenSeconds
      })`,
    })
    .execute()
  return token
}

/** Uses a token up; of several simultaneous uses one succeeds. Undefined: unknown, used, expired, or for another purpose. */
export function takeMailToken(
  trx: PortalTransaction,
  purpose: MailTokenPurpose,
  token: string,
): Promise<MailToken | undefined> {
  return trx
    .updateTable('mail_tokens')
    .set({ used_at: sql`now()` })
    .where('hash', '=', hashOf(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(columns)
    .executeTakeFirst()
}

/** A used-up link of a developer. */
export interface OwnMailToken extends MailToken {
  readonly developerId: string
  /** The developer's current address. */
  readonly ownerEmail: string
}

/**
 * {@link takeMailToken} for a developer. Locks the developer's row first, as
 * every other change of an account does, to avoid deadlocks.
 */
export async function takeOwnMailToken(
  trx: PortalTransaction,
  purpose: MailTokenPurpose,
  token: string,
): Promise<OwnMailToken | undefined> {
  const owner = await trx
    .selectFrom('developers')
    .select(['id', 'email'])
    .where('id', '=', (eb) =>
      eb.selectFrom('mail_tokens').select('developer_id').where('hash', '=', hashOf(token)),
    )
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (owner === undefined) return undefined
  const link = await takeMailToken(trx, purpose, token)
  return link && { ...link, developerId: owner.id, ownerEmail: owner.email }
}

/**
 * Ends every link in mails to a developer, because the mailbox or the password
 * behind them has changed. The link of an enrolment did not come by mail, and
 * asks for the password, too: its owner may reset a lost one first.
 */
export async function endMailTokens(trx: PortalTransaction, developerId: string): Promise<void> {
  await trx
    .deleteFrom('mail_tokens')
    .where('developer_id', '=', developerId)
    .where('purpose', '!=', 'enrolment')
    .execute()
}
