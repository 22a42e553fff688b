import type { Kysely, Transaction } from 'kysely'
import { type AuditEntry, recordAudit } from './audit.ts'
import { type Change, recordChange } from './changes.ts'
import type { RegistrySchema } from './schema.ts'

export type RegistryTransaction = Transaction<RegistrySchema>

/** The traces of a change. */
export interface Traces {
  readonly change: Change
  readonly audit: AuditEntry
}

/**
 * Changes the registry. The writes of `work`, the change for all gateways and
 * the audit entry commit together or not at all. Call `leave` once per change.
 */
export function change<Result>(
  db: Kysely<RegistrySchema>,
  work: (trx: RegistryTransaction, leave: (traces: Traces) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute((trx) =>
    work(trx, async (traces) => {
      await recordChange(trx, traces.change)
      await recordAudit(trx, traces.audit)
    }),
  )
}

/** Whether a text can be the id of such a row; the database would reject the comparison with other texts. */
export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)
}
