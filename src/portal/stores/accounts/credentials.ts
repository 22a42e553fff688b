import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { Outbox } from '../../mail/outbox.ts'
import type { PortalSchema } from '../schema.ts'
import { sameAddress } from './same-address.ts'
import { updateDeveloper } from './update-developer.ts'

/** One password attempt, already counted. */
export interface PasswordAttempt {
  readonly developerId: string
  readonly email: string
  readonly passwordHash: string
  /** Failed attempts of strangers in a row; of a stranger, this one included. */
  readonly failures: number
  readonly isSuspended: boolean
  readonly isApproved: boolean
  readonly isOperator: boolean
}

/** The owner of the password. */
export type PasswordOwner = { readonly email: string } | { readonly developerId: string }

/**
 * Counts failed password attempts of strangers: of browsers that the developer
 * has not used before. An attempt is counted before its password is compared,
 * so that a thousand simultaneous attempts are not compared either.
 */
export interface Credentials {
  /** Whether the developer has set a password. */
  hasPassword(developerId: string): Promise<boolean>
  /**
   * Counts an attempt, if it is a stranger's. Undefined when no password can be
   * compared: the developer is unknown (addresses match in any case) or has no
   * password yet; or for a stranger after {@link passwordAttemptsMax} failures
   * in a row, for a day from the first failure or until a reset by mail.
   */
  attempt(input: {
    owner: PasswordOwner
    isStranger: boolean
  }): Promise<PasswordAttempt | undefined>
  /** The password was right: resets the count. */
  forgive(developerId: string): Promise<void>
  /** Writes the mail to the owner after the last permitted failure. */
  pause(input: { developerId: string; email: string; outbox: Outbox }): Promise<void>
}

/**
 * Lets a statement end before it reaches the disk. For an unknown address there
 * is no write, and the time of a disk write would be measurable from outside.
 * After a crash the database loses at most the attempts of its last second.
 */
const withoutFlush = sql<string>`set_config('synchronous_commit', 'off', true)`.as('mode')

/** Failures of strangers in a row after which no password is compared for a day (NIST SP 800-63B, 5.2.2). */
export const passwordAttemptsMax = 100

const columns = [
  'developers.id as developerId',
  'email',
  'password_hash as passwordHash',
  'failed_sign_ins as failures',
  sql<boolean>`suspended_at is not null`.as('isSuspended'),
  sql<boolean>`approved_at is not null`.as('isApproved'),
  'is_operator as isOperator',
] as const

/** Whether the failures so far no longer count: a day has passed since the first one. */
const isNewDay = sql<boolean>`coalesce(failed_since, '-infinity') <= now() - interval '1 day'`

export function createCredentials({ db }: { db: Kysely<PortalSchema> }): Credentials {
  return {
    async attempt({ owner, isStranger }) {
      const isOwner =
        'email' in owner ? sameAddress(owner.email) : sql<boolean>`id = ${owner.developerId}`
      const row = isStranger
        ? await db
            .with('unhurried', (cte) => cte.selectNoFrom(withoutFlush))
            .updateTable('developers')
            .from('unhurried')
            .set({
              failed_sign_ins: sql`case when ${isNewDay} then 1 else failed_sign_ins + 1 end`,
              failed_since: sql`case when ${isNewDay} or failed_sign_ins = 0 then now() else failed_since end`,
            })
            .where(isOwner)
            .where(sql<boolean>`(failed_sign_ins < ${passwordAttemptsMax} or ${isNewDay})`)
            .where('password_hash', 'is not', null)
            .returning(columns)
            .executeTakeFirst()
        : await db
            .selectFrom('developers')
            .select(columns)
            .where(isOwner)
            .where('password_hash', 'is not', null)
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

    forgive: (developerId) => updateDeveloper(db, developerId, { failed_sign_ins: 0 }),

    pause: ({ developerId, email, outbox }) =>
      db.transaction().execute(async (trx) => {
        await outbox.post(trx, { kind: 'sign-in-paused' }, email)
        const subject = `developer:${developerId}`
        await recordAudit(trx, { actor: 'system', action: 'developer.pause-sign-in', subject })
      }),
  }
}
