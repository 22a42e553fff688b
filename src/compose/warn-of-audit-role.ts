import { sql } from 'kysely'
import type { Foundation } from './stores.ts'

/**
 * Warns if the role that serves may change the audit, or recent security
 * events. Only with DATABASE_URL: the embedded database has one role. See
 * deploy/postgres/roles.sql.
 */
export async function warnOfAuditRole({
  settings,
  database,
  log,
}: Pick<Foundation, 'settings' | 'database' | 'log'>): Promise<void> {
  if (settings.databaseUrl === undefined) return
  const { rows } = await sql<{ may: boolean }>`
    select has_table_privilege('audit', 'UPDATE') or has_table_privilege('audit', 'DELETE')
      or has_table_privilege('audit_links', 'UPDATE') or has_table_privilege('audit_links', 'DELETE')
      or not row_security_active('security_events') or not row_security_active('audit_personal') as may
  `.execute(database.connect())
  if (rows[0]?.may !== true) {
    await warnOfDays({ settings, database, log })
    return
  }
  log.warn(
    {},
    'the role of DATABASE_URL may change the audit log or security events; create the roles of deploy/postgres/roles.sql, run `tollgate migrate --grant`, and use one of those that serve',
  )
}

/** The policy of PostgreSQL has the days that `tollgate migrate --grant` was given. */
async function warnOfDays({
  settings: { securityEventDays: days },
  database,
  log,
}: Pick<Foundation, 'settings' | 'database' | 'log'>): Promise<void> {
  const { rows } = await sql<{ days: number | null }>`
    select (regexp_match(qual, 'days => (\\d+)'))[1]::int as days from pg_policies
    where schemaname = current_schema() and tablename = 'security_events' and policyname = 'expire'`.execute(
    database.connect(),
  )
  const kept = rows[0]?.days
  if (kept == null || kept === days) return
  log.warn(
    {},
    `SECURITY_EVENT_DAYS is ${days}, but PostgreSQL keeps security events for ${kept} days: run \`tollgate migrate --grant\` with SECURITY_EVENT_DAYS=${days}`,
  )
}
