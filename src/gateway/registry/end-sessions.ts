import type { RegistryTransaction } from './transaction.ts'

/** Ends every session of a developer, in the transaction of the change that requires it. */
export async function endSessions(trx: RegistryTransaction, developerId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('developer_id', '=', developerId).execute()
}
