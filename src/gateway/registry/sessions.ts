import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { recordAudit } from './audit.ts'
import type { Developer } from './developers.ts'
import { endSessions } from './end-sessions.ts'
import type { RegistrySchema } from './schema.ts'
import type { RegistryTransaction } from './transaction.ts'

/** A developer's session in one browser. */
export interface LiveSession {
  readonly developer: Developer
  readonly createdAt: Date
  /** When the session ends without further requests. */
  readonly expiresAt: Date
}

/**
 * Sessions of signed-in developers. The database stores only the SHA-256 of a
 * session's id, so a reader of the database cannot use a session. A session
 * ends 8 hours after its last request and at most 7 days after its start (our
 * choice). Once ended here, it is invalid from the next request to any process.
 */
export interface Sessions {
  /**
   * Begins a session if the checked password is still the developer's and the
   * developer was not suspended meanwhile, and resets the failed attempts.
   * @returns whether it began
   */
  begin(input: { id: string; developerId: string; passwordHash: string }): Promise<boolean>
  /** Records activity, to the minute. Undefined: unknown, ended or expired. */
  find(id: string): Promise<LiveSession | undefined>
  /** Idempotent. */
  end(id: string): Promise<void>
  /** Ends every session of the developer. */
  endAll(input: { developerId: string; by: string }): Promise<void>
  /** Deletes expired sessions. */
  prune(): Promise<void>
}

const idle = sql<Date>`interval '8 hours'`
const longest = sql`interval '7 days'`

export function createSessions({ db }: { db: Kysely<RegistrySchema> }): Sessions {
  return {
    begin: ({ id, developerId, passwordHash }) =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('developers')
          .set({ failed_sign_ins: 0 })
          .where('id', '=', developerId)
          .where('password_hash', '=', passwordHash)
          .where('suspended_at', 'is', null)
          .where('approved_at', 'is not', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await trx
          .insertInto('sessions')
          .values({
            id_hash: hashOf(id),
            developer_id: developerId,
            expires_at: sql`now() + ${longest}`,
          })
          .execute()
        await leaveAudit(trx, 'begin', developerId, `developer:${developerId}`)
        return true
      }),

    async find(id) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('developers', 'developers.id', 'sessions.developer_id')
        .select([
          'developers.id',
          'developers.email',
          'developers.name',
          'developers.is_operator as isOperator',
          'developers.created_at as createdAt',
          'developers.suspended_at as suspendedAt',
          'sessions.created_at as beganAt',
          sql<Date>`least(sessions.expires_at, now() + ${idle})`.as('expiresAt'),
          sql<boolean>`sessions.seen_at < now() - interval '1 minute'`.as('isSeenLongAgo'),
        ])
        .where('sessions.id_hash', '=', hashOf(id))
        .where('sessions.expires_at', '>', sql<Date>`now()`)
        .where('sessions.seen_at', '>', sql<Date>`now() - ${idle}`)
        .where('developers.suspended_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { beganAt, expiresAt, isSeenLongAgo, ...developer } = row
      if (isSeenLongAgo) {
        await db
          .updateTable('sessions')
          .set({ seen_at: sql`now()` })
          .where('id_hash', '=', hashOf(id))
          .execute()
      }
      return { developer, createdAt: beganAt, expiresAt }
    },

    end: (id) =>
      db.transaction().execute(async (trx) => {
        const ended = await trx
          .deleteFrom('sessions')
          .where('id_hash', '=', hashOf(id))
          .returning('developer_id')
          .executeTakeFirst()
        if (ended === undefined) return
        await leaveAudit(trx, 'end', ended.developer_id, `developer:${ended.developer_id}`)
      }),

    endAll: ({ developerId, by }) =>
      db.transaction().execute(async (trx) => {
        await endSessions(trx, developerId)
        await leaveAudit(trx, 'end-all', developerId, by)
      }),

    async prune() {
      await db
        .deleteFrom('sessions')
        .where(({ eb, or }) =>
          or([
            eb('expires_at', '<=', sql<Date>`now()`),
            eb('seen_at', '<=', sql<Date>`now() - ${idle}`),
          ]),
        )
        .execute()
    },
  }
}

function leaveAudit(trx: RegistryTransaction, verb: string, developerId: string, by: string) {
  const subject = `developer:${developerId}`
  return recordAudit(trx, { actor: by, action: `session.${verb}`, subject })
}

function hashOf(id: string): Buffer {
  return createHash('sha256').update(id).digest()
}
