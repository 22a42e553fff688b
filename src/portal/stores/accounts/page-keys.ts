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
} from '../../../registry/keys/key-rows.ts'
import { change, type Recorder } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'

/** How long a key for a page works. */
export const pageKeyMinutes = 15

/**
 * Keys with which pages of the portal make calls: without a name of their own,
 * in no list, and over after {@link pageKeyMinutes} or with the session.
 * Their calls count as those of any other key of the application.
 */
export interface PageKeys {
  /**
   * Issues a key for a session, in place of the one that the session has for the application.
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
    issue: ({ applicationId, sessionId, by }) =>
      change(db, async (trx, record) => {
        await lockActiveApplication(trx, applicationId)
        const session = await trx
          .selectFrom('sessions')
          .select('id')
          .where('id', '=', sessionId)
          .forKeyShare()
          .executeTakeFirst()
        if (session === undefined) return undefined
        await revokePageKeys(trx, record, { sessionIds: [sessionId], applicationId, by })
        const issued = await insertKey(trx, peppers, {
          key: generateKey(randomBytes),
          applicationId,
          expiresAt: new Date(now() + pageKeyMinutes * 60_000),
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
    /** Only keys of this application. */
    readonly applicationId?: string
    /** The actor in the audit. */
    readonly by: string
  },
): Promise<void> {
  const { sessionIds, applicationId, by } = options
  const rows = await selectKeys(trx)
    .where('session_id', 'in', sessionIds)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(applicationId !== undefined, (query) =>
      query.where('application_id', '=', applicationId ?? ''),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const key of rows.map(toApiKey)) {
    await trx
      .updateTable('api_keys')
      .set({ revoked_at: sql`now()` })
      .where('id', '=', key.id)
      .execute()
    await record(...traces(key, 'revoke', by, { forPage: true }))
  }
}
