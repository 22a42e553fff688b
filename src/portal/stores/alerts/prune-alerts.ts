import type { Kysely } from 'kysely'
import type { PortalSchema } from '../schema.ts'

/** Deletes the records of alerts about windows, keys and certificates that ended more than a day ago. */
export async function pruneAlerts(db: Kysely<PortalSchema>, nowMs: number): Promise<void> {
  const ended = new Date(nowMs - 86_400_000)
  await db
    .deleteFrom('limit_alerts')
    .where('resets_at', '<', ended)
    .where('mail_waits', '=', false)
    .execute()
  await db.deleteFrom('expiry_alerts').where('expires_at', '<', ended).execute()
}
