import type { Kysely, Transaction } from 'kysely'
import { type AuditEntry, recordAudit } from './audit.ts'
import { type Change, recordChange } from './changes.ts'
import type { RegistrySchema } from './schema.ts'

export type RegistryTransaction = Transaction<RegistrySchema>

/** What a change leaves behind besides itself. */
export interface Traces {
  readonly change: Change
  readonly audit: AuditEntry
}

/**
 * Changes the registry: what `work` writes, the change that tells every
 * gateway, and the audit entry become true together or not at all. `leave` is
 * called once for every change made.
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

/** Whether a row can have this id at all; the database would refuse to compare another text. */
export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)
}
