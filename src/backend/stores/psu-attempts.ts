import type { Kysely, Selectable } from 'kysely'
import type { BankSchema, PsuAttemptsTable } from './schema.ts'

/** Failed attempts of a PSU in a row. */
export type PsuFailures = Pick<Selectable<PsuAttemptsTable>, 'failures' | 'failedAt'>

/** Failed attempts of PSUs to authenticate, by application. */
export function createPsuAttemptStore(db: Kysely<BankSchema>) {
  return {
    /**
     * Reads the failures of a PSU and locks them until the transaction ends, so
     * that attempts happen one at a time, even for different authorisations.
     *
     * @param applicationId empty: the count for all applications
     */
    async lock(psuId: string, applicationId: string): Promise<PsuFailures> {
      const first = { psuId, applicationId, failures: 0, failedAt: new Date(0) }
      return (
        db
          .insertInto('psuAttempts')
          .values(first)
          // An update that changes nothing: it locks the row and reads its newest version.
          .onConflict((conflict) =>
            conflict.columns(['psuId', 'applicationId']).doUpdateSet({ psuId }),
          )
          .returning(['failures', 'failedAt'])
          .executeTakeFirstOrThrow()
      )
    },

    /** The row must be locked. */
    async update(psuId: string, applicationId: string, change: PsuFailures): Promise<void> {
      await db
        .updateTable('psuAttempts')
        .set(change)
        .where('psuId', '=', psuId)
        .where('applicationId', '=', applicationId)
        .execute()
    },
  }
}
