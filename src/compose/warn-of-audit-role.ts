import { sql } from 'kysely'
import type { Foundation } from './stores.ts'

/**
 * Warns if the role that serves may change the audit, or recent security
 * events, and if `tollgate migrate --grant` protected these for other days than
 * SECURITY_EVENT_DAYS. Only with DATABASE_URL: the embedded database has one
 * role. See deploy/postgres/roles.sql.
 */
export async function warnOfAuditRole({
  settings: { databaseUrl, securityEventDays: days },
  database,
  log,
}: Pick<Foundation, 'settings' | 'database' | 'log'>): Promise<void> {
  if (databaseUrl === undefined) return
  const { rows } = await sql<{ may: boolean; protectedDays: number | null }>`
    select has_table_privilege('audit', 'UPDATE') or has_table_privilege('audit', 'DELETE')
      or has_table_privilege('audit_links', 'UPDATE') or has_table_privilege('audit_links', 'DELETE')
      or not row_security_active('security_events') or not row_security_active('audit_personal') as may,
      (select (regexp_match(qual, 'days => (\\d+)'))[1]::int from pg_policies
        where schemaname = current_schema() and tablename = 'security_events' and policyname = 'expire'
      ) as "protectedDays"
  `.execute(database.connect())
  const { may = false, protectedDays = null } = rows[0] ?? {}
  if (may) {
    log.warn(
      {},
      'the role of DATABASE_URL may change the audit log or security events; create the roles of deploy/postgres/roles.sql, run `tollgate migrate --grant`, and use one of those that serve',
    )
  } else if (protectedDays !== null && protectedDays !== days) {
    log.warn(
      {},
      `SECURITY_EVENT_DAYS is ${days}, but PostgreSQL keeps security events for ${protectedDays} days: run \`tollgate migrate --grant\` with SECURITY_EVENT_DAYS=${days}`,
    )
  }
}
