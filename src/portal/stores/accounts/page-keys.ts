import { type Kysely, sql } from 'kysely'
import { lockActiveApplication } from '../../../registry/applications/applications.ts'
import { generateKey } from '../../../registry/keys/key-format.ts'
import type { Peppers } from '../../../registry/keys/key-mac.ts'
import {
  type IssuedKey,
  insertKey,
  selectKeys,
  toApiKey,
  traces,
  updateKey,
} from '../../../registry/keys/key-rows.ts'
import { change, type Recorder } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { isLive, longest } from './session-life.ts'

/** How long a key for a page works. */
export const pageKeyMinutes = 15

/** Keys that a session has for one application at a time: one for each tab. */
export const pageKeysMax = 5

/**
 * Keys with which pages of the portal make calls: without a name of their own,
 * in no list, and over after {@link pageKeyMinutes} or with the session.
 * Their calls count as those of any other key of the application.
 */
export interface PageKeys {
  /**
   * Issues a key for a session. A session has at most {@link pageKeysMax} for an application: the oldest one ends.
   *
   * @param input.by the actor in the audit
   * @returns undefined: the session has ended
   * @throws {RegistryNotFound} no such application
   * @throws {PepperUnfit} other processes could not verify it
   */
  issue(input: {
    applicationId: string
    sessionId: string
    by: string
  }): Promise<IssuedKey | undefined>
  /** Whether an application has a key, even one for a page or one that no longer works. */
  hasKeys(applicationId: string): Promise<boolean>
}

export interface PageKeysOptions {
  readonly db: Kysely<PortalSchema>
  readonly peppers: Peppers
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomBytes: (size: number) => Buffer
}

export function createPageKeys({ db, peppers, now, randomBytes }: PageKeysOptions): PageKeys {
  return {
    async hasKeys(applicationId) {
      const key = await db
        .selectFrom('api_keys')
        .select('id')
        .where('application_id', '=', applicationId)
        .limit(1)
        .executeTakeFirst()
      return key !== undefined
    },

    issue: ({ applicationId, sessionId, by }) =>
      change(db, async (trx, record) => {
        await lockActiveApplication(trx, applicationId)
        const session = await trx
          .selectFrom('sessions')
          .innerJoin('developers', 'developers.id', 'sessions.developer_id')
          .select(
            sql<Date>`least(sessions.expires_at, sessions.created_at + ${longest})`.as('endsAt'),
          )
          .where('sessions.id', '=', sessionId)
          .where(isLive)
          .forKeyShare('sessions')
          .executeTakeFirst()
        if (session === undefined) return undefined
        // One for each page that is open. The oldest one is dropped.
        await revokePageKeys(trx, record, {
          sessionIds: [sessionId],
          but: { applicationId, newest: pageKeysMax - 1 },
          by,
        })
        const endsAt = now() + pageKeyMinutes * 60_000
        const issued = await insertKey(trx, peppers, {
          key: generateKey(randomBytes),
          applicationId,
          expiresAt: new Date(Math.min(endsAt, session.endsAt.getTime())),
          sessionId,
        })
        await record(...traces(issued, 'issue', by, { forPage: true }))
        return issued
      }),
  }
}

/** Revokes the working keys of sessions. Every gateway refuses them within a second. */
export async function revokePageKeys(
  trx: PortalTransaction,
  record: Recorder,
  options: {
    readonly sessionIds: readonly string[]
    /** Only keys of this application, and without its newest ones. */
    readonly but?: { readonly applicationId: string; readonly newest: number }
    /** The actor in the audit. */
    readonly by: string
  },
): Promise<void> {
  const { sessionIds, but, by } = options
  const rows = await selectKeys(trx)
    .where('session_id', 'in', sessionIds)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(but !== undefined, (query) => query.where('application_id', '=', but?.applicationId ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(but?.newest ?? 0)
    .forUpdate()
    .execute()
  for (const key of rows.map(toApiKey)) {
    await updateKey(trx, key.id, { revoked_at: sql`now()` })
    await record(...traces(key, 'revoke', by, { forPage: true }))
  }
}
