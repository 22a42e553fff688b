import type { PortalTransaction } from '../schema.ts'

/** Ends every session of a developer and every sign-in under way, in the transaction of the change that requires it. */
export async function endSessions(trx: PortalTransaction, developerId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('developer_id', '=', developerId).execute()
  await trx.deleteFrom('factor_challenges').where('developer_id', '=', developerId).execute()
}
