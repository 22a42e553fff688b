import type { Kysely, Transaction } from 'kysely'
import { type AuditEntry, recordAudit } from './audit/audit.ts'
import type { Change, ChangeSubject } from './feed/change.ts'
import { recordChange } from './feed/record-change.ts'
import type { RegistrySchema } from './schema.ts'

export type RegistryTransaction = Transaction<RegistrySchema>

/** What the audit records about a change, in addition to the change itself. */
export interface Actor extends Partial<Pick<AuditEntry, 'action' | 'subject' | 'detail'>> {
  /** The actor. */
  readonly by: string
}

/** Records a change for all gateways, and its audit entry. */
export type Recorder = (change: Change, actor: Actor) => Promise<void>

/**
 * Changes the registry. The writes of `work`, the change for all gateways and
 * the audit entry commit together or not at all. Call `record` once per change:
 * unless it says otherwise, the entry's action is `<kind>.<action>` of the
 * change, and its subject what the change names. The schema is the registry's, or
 * one that adds tables.
 */
export function change<Schema extends RegistrySchema, Result>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>, record: Recorder) => Promise<Result>,
): Promise<Result> {
  // A schema that extends the registry's has its tables, which Kysely's types do not see through a parameter.
  return db
    .transaction()
    .execute((trx) => work(trx, recorderOf(trx as unknown as RegistryTransaction)))
}

/** Records changes in a transaction that something else began. */
export function recorderOf(trx: RegistryTransaction): Recorder {
  return async (made, { by, ...audit }) => {
    const { kind, developerId, applicationId, keyId }: ChangeSubject = made
    const subject = `${kind}:${keyId ?? applicationId ?? developerId}`
    await recordChange(trx, made)
    await recordAudit(trx, { actor: by, action: `${kind}.${made.action}`, subject, ...audit })
  }
}
