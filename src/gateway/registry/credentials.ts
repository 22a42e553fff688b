import { type Kysely, sql } from 'kysely'
import { recordAudit } from './audit.ts'
import { sameAddress } from './same-address.ts'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/** One try of a password, counted already. */
export interface PasswordAttempt {
  readonly developerId: string
  readonly email: string
  readonly passwordHash: string
  /** Tries in a row without success, this one included. */
  readonly failures: number
  readonly isSuspended: boolean
  readonly isApproved: boolean
}

/** Whose password is tried. */
export type PasswordOwner = { readonly email: string } | { readonly developerId: string }

/**
 * How often a developer's password is tried without success. A try is counted
 * before its password is compared, so that a thousand at once are not compared
 * either.
 */
export interface Credentials {
  /**
   * Counts a try. Undefined when there is nothing to compare with: no such
   * developer (in whatever case of the address), no password yet, or
   * {@link passwordAttemptsMax} failures in a row, which only a reset by mail
   * ends.
   */
  attempt(owner: PasswordOwner): Promise<PasswordAttempt | undefined>
  /** The password was right: what was counted is forgotten. */
  forgive(developerId: string): Promise<void>
  /** The last failure there may be. `post` writes the mail to the owner. */
  pause(input: {
    developerId: string
    post: (trx: RegistryTransaction) => Promise<void>
  }): Promise<void>
}

/**
 * Lets a statement end before the disk has it: there is nothing to write for an
 * unknown address, and a disk takes long enough to be timed from afar. A crash
 * of the database forgets the tries of its last second at most.
 */
const withoutFlush = sql<string>`set_config('synchronous_commit', 'off', true)`.as('mode')

/** Failures in a row after which a password is refused until it is reset (NIST SP 800-63B, 5.2.2). */
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
