import type { Transaction } from 'kysely'
import type { RegistrySchema } from '../schema.ts'
import type { Change, ChangeSubject } from './change.ts'

/** Writes a change in the transaction that makes it. */
export async function recordChange(
  trx: Transaction<RegistrySchema>,
  change: Change,
): Promise<void> {
  const { developerId, applicationId, keyId }: ChangeSubject = change
  await trx
    .insertInto('changes')
    .values({
      kind: change.kind,
      action: change.action,
      developer_id: developerId ?? null,
      application_id: applicationId ?? null,
      key_id: keyId ?? null,
      detail: JSON.stringify('detail' in change ? (change.detail ?? {}) : {}),
    })
    .execute()
}
