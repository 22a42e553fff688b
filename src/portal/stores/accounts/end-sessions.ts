import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import { recorderOf } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { revokePageKeys } from './page-keys.ts'

type Which = (
  sessions: ExpressionBuilder<PortalSchema, 'sessions'>,
) => ExpressionWrapper<PortalSchema, 'sessions', SqlBool>

/** Ends every session of a developer and every sign-in under way, in the transaction of the change that requires it. */
export async function endSessions(trx: PortalTransaction, developerId: string): Promise<void> {
  await endSessionsWhere(trx, (eb) => eb('developer_id', '=', developerId))
  await trx.deleteFrom('factor_challenges').where('developer_id', '=', developerId).execute()
}

/** Ends sessions, and the keys of their pages. @returns the developers whose sessions these were */
export async function endSessionsWhere(trx: PortalTransaction, which: Which): Promise<string[]> {
  const ended = await trx
    .deleteFrom('sessions')
    .where(which)
    .returning(['id', 'developer_id'])
    .execute()
  for (const { id, developer_id } of ended) {
    const by = `developer:${developer_id}`
    await revokePageKeys(trx, recorderOf(trx), { sessionIds: [id], by })
  }
  return ended.map((session) => session.developer_id)
}
