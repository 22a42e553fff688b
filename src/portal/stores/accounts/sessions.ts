import { type Kysely, sql } from 'kysely'
import { isUuid } from '../../../platform/database/uuid.ts'
import type { Developer } from '../../../registry/applications/developer.ts'
import { recordAudit } from '../../../registry/audit/audit.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { auditOwn } from './audit-own.ts'
import { endSessions, endSessionsWhere } from './end-sessions.ts'
import { idle, isLive, longest } from './session-life.ts'
import { hashOf } from './token.ts'
import { updateDeveloper } from './update-developer.ts'

/** The second factor that a developer used; or `oidc`: the OpenID Connect provider checked the developer instead. */
export type UsedFactor = 'totp' | 'passkey' | 'recovery-code' | 'oidc'

/** What was checked to be true of a developer who signs in. */
export type SignInProof =
  | {
      readonly developerId: string
      /** Hash of the correct password. */
      readonly passwordHash: string
      /** Null: none was asked for. */
      readonly factor: UsedFactor | null
    }
  | {
      readonly developerId: string
      /** Null: the OpenID Connect provider answers for the developer. */
      readonly passwordHash: null
      readonly factor: 'oidc'
    }

/** A developer's session in one browser. */
export interface LiveSession {
  /** Its name in {@link ListedSession}; not the id that opens it. */
  readonly id: string
  readonly developer: Developer
  /** Staff id of a current or former operator; null for other developers. */
  readonly staffId: string | null
  readonly createdAt: Date
  /** When the session ends without further requests. */
  readonly expiresAt: Date
  readonly factor: UsedFactor | null
  /** Whether the developer signed in or proved who they are within {@link proofMinutes}. */
  readonly isProved: boolean
}

/** A session in the list of its developer. */
export interface ListedSession {
  readonly id: string
  readonly createdAt: Date
  /** Time of the last request, to the minute. */
  readonly seenAt: Date
  readonly expiresAt: Date
  /** User-Agent at the beginning, at most 256 characters; may be empty. */
  readonly agent: string
  readonly factor: UsedFactor | null
}

/**
 * Sessions of signed-in developers. The database stores only the SHA-256 of a
 * session's id, so a reader of the database cannot use a session.
 *
 * A session ends 8 hours after its last request and at most 7 days after its
 * start; a session of an operator after 1 hour and 12 hours (our choice; NIST SP
 * 800-63B, 4.2.3 has 30 minutes and 12 hours for AAL2). A developer has at most
 * {@link sessionsMax}: the next one ends the session that was unused for the
 * longest time. Once ended here, a session is invalid from the next request to
 * any process.
 */
export interface Sessions {
  /**
   * Begins a session if the proof still suffices: the password is the
   * developer's, or the developer has none and an identity at the provider; the
   * developer was not suspended meanwhile, and an account that has a second
   * factor, or is an operator's, showed one. Resets the failed attempts.
   * @param input.agent is cut to 256 characters
   * @returns whether it began
   */
  begin(input: SignInProof & { id: string; agent: string }): Promise<boolean>
  /** Records activity, to the minute. Undefined: unknown, ended or expired. */
  find(id: string): Promise<LiveSession | undefined>
  /** Live sessions of the developer, the last used first. */
  list(developerId: string): Promise<ListedSession[]>
  /**
   * Notes that the developer proved again who they are, and gives the session a
   * new id: the old one opens nothing from then on. Its times stay.
   *
   * @returns false for a session that has ended
   */
  prove(input: { id: string; newId: string; factor: UsedFactor | null }): Promise<boolean>
  /** Idempotent. */
  end(id: string): Promise<void>
  /** Ends one session by its name in the list. @returns whether the developer had it */
  endListed(input: { developerId: string; id: string }): Promise<boolean>
  /** Ends every session of the developer. */
  endAll(input: { developerId: string; by: string }): Promise<void>
  /** Deletes expired sessions. */
  prune(): Promise<void>
}

/** Sessions of one developer at a time. */
export const sessionsMax = 20

/** How long a sign-in, or another proof, suffices for changes that ask for one (our choice). */
export const proofMinutes = 10

/** @param lastRequest SQL of a time */
function endAfter(lastRequest: ReturnType<typeof sql>) {
  return sql<Date>`least(sessions.expires_at, sessions.created_at + ${longest}, ${lastRequest} + ${idle})`
}

export function createSessions({ db }: { db: Kysely<PortalSchema> }): Sessions {
  return {
    begin: ({ id, developerId, passwordHash, factor, agent }) =>
      db.transaction().execute(async (trx) => {
        // Locked, so simultaneous sign-ins stay below the maximum together.
        const locked = await trx
          .selectFrom('developers')
          .select('is_operator as isOperator')
          .where('id', '=', developerId)
          .$call((query) =>
            passwordHash === null
              ? query.where('oidc_subject', 'is not', null)
              : query.where('password_hash', '=', passwordHash),
          )
          .where('suspended_at', 'is', null)
          .where('approved_at', 'is not', null)
          .forUpdate()
          .executeTakeFirst()
        if (locked === undefined || (factor === null && locked.isOperator)) return false
        // Its own statement: it sees a factor that was added or reset while this one waited for the lock.
        if (factor !== 'oidc' && (await hasFactor(trx, developerId)) !== (factor !== null)) {
          return false
        }
        await updateDeveloper(trx, developerId, { failed_sign_ins: 0 })
        await endLeastUsed(trx, developerId)
        await trx
          .insertInto('sessions')
          .values({
            id_hash: hashOf(id),
            developer_id: developerId,
            expires_at: sql`now() + interval '7 days'`,
            agent: [...agent].slice(0, 256).join(''),
            factor,
          })
          .execute()
        await auditOwn(trx, developerId, 'session.begin', { factor: factor ?? 'none' })
        return true
      }),

    async find(id) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('developers', 'developers.id', 'sessions.developer_id')
        .leftJoin('staff', 'staff.developer_id', 'sessions.developer_id')
        .select([
          'staff.id as staffId',
          'developers.id',
          'developers.email',
          'developers.name',
          'developers.is_operator as isOperator',
          'developers.created_at as createdAt',
          'developers.suspended_at as suspendedAt',
          'sessions.id as listedId',
          'sessions.created_at as beganAt',
          'sessions.factor',
          endAfter(sql`now()`).as('expiresAt'),
          sql<boolean>`sessions.proved_at > now() - make_interval(mins => ${proofMinutes})`.as(
            'isProved',
          ),
          sql<boolean>`sessions.seen_at < now() - interval '1 minute'`.as('isSeenLongAgo'),
        ])
        .where('sessions.id_hash', '=', hashOf(id))
        .where(isLive)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const {
        listedId,
        beganAt,
        expiresAt,
        factor,
        isProved,
        isSeenLongAgo,
        staffId,
        ...developer
      } = row
      if (isSeenLongAgo) {
        await db
          .updateTable('sessions')
          .set({ seen_at: sql`now()` })
          .where('id_hash', '=', hashOf(id))
          .execute()
      }
      return { id: listedId, developer, staffId, createdAt: beganAt, expiresAt, factor, isProved }
    },

    list: (developerId) =>
      db
        .selectFrom('sessions')
        .innerJoin('developers', 'developers.id', 'sessions.developer_id')
        .select([
          'sessions.id',
          'sessions.created_at as createdAt',
          'sessions.seen_at as seenAt',
          endAfter(sql`sessions.seen_at`).as('expiresAt'),
          'sessions.agent',
          'sessions.factor',
        ])
        .where('sessions.developer_id', '=', developerId)
        .where(isLive)
        .orderBy('sessions.seen_at', 'desc')
        .orderBy('sessions.created_at', 'desc')
        .limit(100)
        .execute(),

    async prove({ id, newId, factor }) {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({
          id_hash: hashOf(newId),
          proved_at: sql`now()`,
          ...(factor === null ? {} : { factor }),
        })
        .where('id_hash', '=', hashOf(id))
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    end: (id) =>
      db.transaction().execute(async (trx) => {
        const [developerId] = await endSessionsWhere(trx, (eb) => eb('id_hash', '=', hashOf(id)))
        if (developerId !== undefined) await auditOwn(trx, developerId, 'session.end')
      }),

    async endListed({ developerId, id }) {
      if (!isUuid(id)) return false
      return db.transaction().execute(async (trx) => {
        const ended = await endSessionsWhere(trx, (eb) => eb.and({ id, developer_id: developerId }))
        if (ended.length === 0) return false
        await auditOwn(trx, developerId, 'session.end', { session: id })
        return true
      })
    },

    endAll: ({ developerId, by }) =>
      db.transaction().execute(async (trx) => {
        await endSessions(trx, developerId, by)
        const subject = `developer:${developerId}`
        await recordAudit(trx, { actor: by, action: 'session.end-all', subject })
      }),

    async prune() {
      await db
        .deleteFrom('sessions')
        .using('developers')
        .whereRef('developers.id', '=', 'sessions.developer_id')
        .where(sql<boolean>`not ${isLive}`)
        .execute()
    },
  }
}

/** Whether a developer has a second factor now. */
export async function hasFactor(trx: PortalTransaction, developerId: string): Promise<boolean> {
  const { rows } = await sql<{ hasFactor: boolean }>`
    select exists (select from totp_secrets where developer_id = ${developerId})
      or exists (select from passkeys where developer_id = ${developerId}) as "hasFactor"`.execute(
    trx,
  )
  return rows[0]?.hasFactor === true
}

/** Leaves room for one more session. */
async function endLeastUsed(trx: PortalTransaction, developerId: string): Promise<void> {
  await endSessionsWhere(trx, (eb) =>
    eb('id_hash', 'in', (query) =>
      query
        .selectFrom('sessions')
        .select('id_hash')
        .where('developer_id', '=', developerId)
        .orderBy('seen_at', 'desc')
        .orderBy('created_at', 'desc')
        .offset(sessionsMax - 1),
    ),
  )
}
