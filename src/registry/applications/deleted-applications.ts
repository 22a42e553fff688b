import { type Kysely, sql } from 'kysely'
import { recordAudit } from '../audit/audit.ts'
import type { RegistrySchema } from '../schema.ts'
import type { RegistryTransaction } from '../transaction.ts'

/** A deleted application that this process may report to the bank now. */
export interface DeletedApplication {
  readonly applicationId: string
  /** Attempts since the bank last answered, this one included. */
  readonly attempts: number
  /** Whether no call that began before the deletion can still be under way. */
  readonly isLast: boolean
}

/**
 * Applications that were deleted, until the bank has ended what they left there.
 * Each is reported to the bank twice: at once, and again after {@link inFlightSeconds},
 * for what calls under way have created meanwhile. All times are by the
 * database's clock.
 */
export interface DeletedApplications {
  /** Takes one that is due, for `forSeconds`; two processes never take the same one at once. */
  claim(forSeconds: number): Promise<DeletedApplication | undefined>
  /** The bank has answered. With `ended`, an audit entry says what it did; without, it has no such route. */
  told(
    deleted: DeletedApplication,
    ended: Readonly<Record<string, string>> | undefined,
  ): Promise<void>
  postpone(applicationId: string, seconds: number): Promise<void>
}

/** Longer than a gateway serves a key from memory while the database is away, plus the longest call. */
const inFlightSeconds = 600

export function createDeletedApplications({
  db,
}: {
  readonly db: Kysely<RegistrySchema>
}): DeletedApplications {
  return {
    async claim(forSeconds) {
      // One statement, so that it holds no lock while the bank takes its time.
      const { rows } = await sql<DeletedApplication>`
        update deleted_applications
        set attempts = attempts + 1, due_at = now() + make_interval(secs => ${forSeconds})
        where application_id = any(array(
          select application_id from deleted_applications
          where due_at <= now() order by due_at limit 1 for update skip locked
        ))
        returning application_id as "applicationId", attempts,
          deleted_at <= now() - make_interval(secs => ${inFlightSeconds}) as "isLast"`.execute(db)
      return rows[0]
    },

    told: ({ applicationId, isLast }, ended) =>
      db.transaction().execute(async (trx) => {
        if (isLast) {
          await trx
            .deleteFrom('deleted_applications')
            .where('application_id', '=', applicationId)
            .execute()
        } else {
          await trx
            .updateTable('deleted_applications')
            .set({
              attempts: 0,
              due_at: sql`deleted_at + make_interval(secs => ${inFlightSeconds})`,
            })
            .where('application_id', '=', applicationId)
            .execute()
        }
        if (ended === undefined) return
        await recordAudit(trx, {
          actor: 'system',
          action: 'application.end-at-bank',
          subject: `application:${applicationId}`,
          detail: ended,
        })
      }),

    async postpone(applicationId, seconds) {
      await db
        .updateTable('deleted_applications')
        .set({ due_at: sql`now() + make_interval(secs => ${seconds})` })
        .where('application_id', '=', applicationId)
        .execute()
    },
  }
}

/** Notes deleted applications in the transaction that deletes them. */
export async function noteDeleted(trx: RegistryTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await trx
    .insertInto('deleted_applications')
    .values(ids.map((id) => ({ application_id: id })))
    .execute()
}
