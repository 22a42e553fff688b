import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely'
import { lockApplication } from '../../../registry/applications/applications.ts'
import { recorderOf } from '../../../registry/transaction.ts'
import type { PortalSchema, PortalTransaction } from '../schema.ts'
import { revokePageKeys } from './page-keys.ts'

type Which = (
  sessions: ExpressionBuilder<PortalSchema, 'sessions'>,
) => ExpressionWrapper<PortalSchema, 'sessions', SqlBool>

/**
 * Ends every session of a developer and every sign-in under way, in the
 * transaction of the change that requires it.
 *
 * @param by the actor in the audit of the keys that end with them (default: the developer)
 */
export async function endSessions(
  trx: PortalTransaction,
  developerId: string,
  by?: string,
): Promise<void> {
  await endSessionsWhere(trx, (eb) => eb('developer_id', '=', developerId), by)
  await trx.deleteFrom('factor_challenges').where('developer_id', '=', developerId).execute()
}

/** Ends sessions, and the keys of their pages. @returns the developers whose sessions these were */
export async function endSessionsWhere(
  trx: PortalTransaction,
  which: Which,
  by?: string,
): Promise<string[]> {
  const ending = await trx.selectFrom('sessions').select('id').where(which).execute()
  const ids = ending.map(({ id }) => id)
  if (ids.length === 0) return []
  // Applications before what belongs to them, as everywhere.
  const applications = await trx
    .selectFrom('api_keys')
    .select('application_id as id')
    .distinct()
    .where('session_id', 'in', ids)
    .where('revoked_at', 'is', null)
    .orderBy('application_id')
    .execute()
  for (const { id } of applications) await lockApplication(trx, id)
  const ended = await trx
    .deleteFrom('sessions')
    .where('id', 'in', ids)
    .returning(['id', 'developer_id'])
    .execute()
  for (const [developerId, sessions] of Map.groupBy(ended, (each) => each.developer_id)) {
    await revokePageKeys(trx, recorderOf(trx), {
      sessionIds: sessions.map(({ id }) => id),
      by: by ?? `developer:${developerId}`,
    })
  }
  return ended.map((session) => session.developer_id)
}
