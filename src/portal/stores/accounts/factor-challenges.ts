import { type Kysely, sql } from 'kysely'
import type { PortalSchema } from '../schema.ts'
import { hashOf, newToken } from './token.ts'

/**
 * The purpose of a challenge; it can be passed only for that: to finish a
 * sign-in, to prove one's identity again, or to add an authenticator app or a
 * passkey, signed in (`totp`, `passkey`) or by the link of an enrolment.
 */
export type ChallengePurpose = 'sign-in' | 'step-up' | 'totp' | 'passkey' | 'enrolment'

/** What a developer has to answer. */
export interface FactorChallenge {
  readonly developerId: string
  /** What a passkey has to sign; base64url, 256 bits. */
  readonly nonce: string
  /** A TOTP secret that is not confirmed yet. */
  readonly sealedSecret: Buffer | null
  /** For a sign-in: the hash of the correct password. */
  readonly passwordHash: string | null
}

/**
 * Challenges of second factors. The database stores only the SHA-256 of each
 * token.
 *
 * States: open → passed (once), expired or out of tries
 * ({@link challengeTries}). There are no transitions back.
 */
export interface FactorChallenges {
  /**
   * Opens one. A developer has at most 20 for each purpose; the next one ends the
   * oldest of its purpose. So a thief of a session cannot end those of a sign-in.
   * @returns the token: 43 characters base64url
   */
  open(
    input: Partial<FactorChallenge> & {
      readonly developerId: string
      readonly nonce: string
      readonly purpose: ChallengePurpose
    },
  ): Promise<{ readonly token: string; readonly expiresAt: Date }>
  /**
   * Counts a try before its answer is looked at. Undefined: unknown, passed,
   * expired, out of tries, or for another purpose.
   */
  attempt(purpose: ChallengePurpose, token: string): Promise<FactorChallenge | undefined>
  /** Ends a challenge that was answered right. @returns whether this was the first time */
  pass(token: string): Promise<boolean>
  /** Deletes expired challenges. */
  prune(): Promise<void>
}

/** Minutes for which a challenge can be answered (our choice). Installing an app takes longer than looking at it. */
const minutes: Readonly<Record<ChallengePurpose, number>> = {
  'sign-in': 5,
  'step-up': 5,
  totp: 30,
  passkey: 30,
  enrolment: 30,
}
/** How often a challenge can be answered (our choice). */
export const challengeTries = 5

const openMax = 20

export function createFactorChallenges({
  db,
}: {
  readonly db: Kysely<PortalSchema>
}): FactorChallenges {
  return {
    open: ({ purpose, developerId, nonce, sealedSecret = null, passwordHash = null }) =>
      db.transaction().execute(async (trx) => {
        await trx
          .deleteFrom('factor_challenges')
          .where('hash', 'in', (eb) =>
            eb
              .selectFrom('factor_challenges')
              .select('hash')
              .where('developer_id', '=', developerId)
              .where('purpose', '=', purpose)
              .orderBy('created_at', 'desc')
              .offset(openMax - 1),
          )
          .execute()
        const token = newToken()
        const { expiresAt } = await trx
          .insertInto('factor_challenges')
          .values({
            hash: hashOf(token),
            developer_id: developerId,
            purpose,
            nonce,
            sealed_secret: sealedSecret,
            password_hash: passwordHash,
            expires_at: sql`now() + make_interval(mins => ${minutes[purpose]})`,
          })
          .returning('expires_at as expiresAt')
          .executeTakeFirstOrThrow()
        return { token, expiresAt }
      }),

    attempt: (purpose, token) =>
      db
        .updateTable('factor_challenges')
        .set({ tries: sql`tries + 1` })
        .where('hash', '=', hashOf(token))
        .where('purpose', '=', purpose)
        .where('tries', '<', challengeTries)
        .where('expires_at', '>', sql<Date>`now()`)
        .returning([
          'developer_id as developerId',
          'nonce',
          'sealed_secret as sealedSecret',
          'password_hash as passwordHash',
        ])
        .executeTakeFirst(),

    async pass(token) {
      const { numDeletedRows } = await db
        .deleteFrom('factor_challenges')
        .where('hash', '=', hashOf(token))
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async prune() {
      await db.deleteFrom('factor_challenges').where('expires_at', '<=', sql<Date>`now()`).execute()
    },
  }
}
