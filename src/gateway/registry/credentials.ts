import { type Kysely, sql } from 'kysely'
import { recordAudit } from './audit.ts'
import { sameAddress } from './same-address.ts'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/** One password attempt, already counted. */
export interface PasswordAttempt {
  readonly developerId: string
  readonly email: string
  readonly passwordHash: string
  /** Failed attempts in a row, this one included. */
  readonly failures: number
  readonly isSuspended: boolean
  readonly isApproved: boolean
}

/** The owner of the password. */
export type PasswordOwner = { readonly email: string } | { readonly developerId: string }

/**
 * Counts failed password attempts of developers. An attempt is counted before
 * its password is compared, so that a thousand simultaneous attempts are not
 * compared either.
 */
export interface Credentials {
  /** Whether the developer has set a password. */
  hasPassword(developerId: string): Promise<boolean>
  /**
   * Counts an attempt. Undefined when no password can be compared: the
   * developer is unknown (addresses match in any case) or has no password yet,
   * or after {@link passwordAttemptsMax} failures in a row, until a reset by
   * mail.
   */
  attempt(owner: PasswordOwner): Promise<PasswordAttempt | undefined>
  /** The password was right: resets the count. */
  forgive(developerId: string): Promise<void>
  /** Counts the last permitted failure. `post` writes the mail to the owner. */
  pause(input: {
    developerId: string
    post: (trx: RegistryTransaction) => Promise<void>
  }): Promise<void>
}

/**
 * Lets a statement end before it reaches the disk. For an unknown address there
 * is no write, and the time of a disk write would be measurable from outside.
 * After a crash the database loses at most the attempts of its last second.
 */
const withoutFlush = sql<string>`set_config('synchronous_commit', 'off', true)`.as('mode')

/** Failures in a row after which the password is locked until it is reset (NIST SP 800-63B, 5.2.2). */
export const passwordAttemptsMax = 100

export function createCredentials({ db }: { db: Kysely<RegistrySchema> }): Credentials {
  return {
    async attempt(owner) {
      const row = await db
        .with('unhurried', (cte) => cte.selectNoFrom(withoutFlush))
        .updateTable('developers')
        .from('unhurried')
        .set({ failed_sign_ins: sql`failed_sign_ins + 1` })
        .where((eb) =>
          'email' in owner ? sameAddress(owner.email) : eb('id', '=', owner.developerId),
        )
        .where('failed_sign_ins', '<', passwordAttemptsMax)
        .where('password_hash', 'is not', null)
        .returning([
          'id as developerId',
          'email',
          'password_hash as passwordHash',
          'failed_sign_ins as failures',
          sql<boolean>`suspended_at is not null`.as('isSuspended'),
          sql<boolean>`approved_at is not null`.as('isApproved'),
        ])
        .executeTakeFirst()
      if (row === undefined || row.passwordHash === null) return undefined
      return { ...row, passwordHash: row.passwordHash }
    },

    async hasPassword(developerId) {
      const row = await db
        .selectFrom('developers')
        .select('id')
        .where('id', '=', developerId)
        .where('password_hash', 'is not', null)
        .executeTakeFirst()
      return row !== undefined
    },

    async forgive(developerId) {
      await db
        .updateTable('developers')
        .set({ failed_sign_ins: 0 })
        .where('id', '=', developerId)
        .execute()
    },

    pause: ({ developerId, post }) =>
      db.transaction().execute(async (trx) => {
        await post(trx)
        const subject = `developer:${developerId}`
        await recordAudit(trx, { actor: 'system', action: 'developer.pause-sign-in', subject })
      }),
  }
}
