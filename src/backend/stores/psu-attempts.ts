import type { Kysely, Selectable } from 'kysely'
import type { BankSchema, PsuAttemptsTable } from './schema.ts'

/** How often a PSU failed to authenticate since the last success, and when last. */
export type PsuFailures = Pick<Selectable<PsuAttemptsTable>, 'failures' | 'failedAt'>

/** The failures of PSUs, counted for each application or, with an empty `applicationId`, for all applications together. */
export function createPsuAttemptStore(db: Kysely<BankSchema>) {
  return {
    /**
     * Locks the count of a PSU until the transaction ends, and reads it: so
     * attempts happen one after the other, even for different authorisations.
     * Creates the count if it does not exist, with no failures.
     */
    async lock(psuId: string, applicationId: string): Promise<PsuFailures> {
      const none = { failures: 0, failedAt: new Date(0) }
      return (
        db
          .insertInto('psuAttempts')
          .values({ psuId, applicationId, ...none })
          // Changes nothing, but locks an existing row and returns its newest version, which DO NOTHING would not.
          .onConflict((conflict) =>
            conflict.columns(['psuId', 'applicationId']).doUpdateSet({ psuId }),
          )
          .returning(['failures', 'failedAt'])
          .executeTakeFirstOrThrow()
      )
    },

    /** Replaces a count that this transaction has locked. */
    async update(psuId: string, applicationId: string, failures: PsuFailures): Promise<void> {
      await db
        .updateTable('psuAttempts')
        .set(failures)
        .where('psuId', '=', psuId)
        .where('applicationId', '=', applicationId)
        .execute()
    },
  }
}
