import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { changeTables } from '../platform/database/change-tables.ts'
import { type Database, isForbidden } from '../platform/database/database.ts'
import { CommandError } from './command-error.ts'

const roles = ['gateway', 'portal', 'bank', 'serving'].map((role) => `tollgate_${role}`)
const files = ['../registry/migrations/rights.sql', '../backend/stores/migrations/rights.sql'].map(
  (path) => new URL(path, import.meta.url),
)

/**
 * Sets the rights of the roles of deploy/postgres/roles.sql on all tables anew,
 * in one transaction. The role of DATABASE_URL owns the tables.
 *
 * @throws {CommandError} a role is missing, or this one does not own the tables
 */
export async function grantRights(
  database: Database,
  { securityEventDays }: { readonly securityEventDays: number },
): Promise<void> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  await database.apart(async (kysely) => {
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${roles}::text[]) as name
      where not exists (select from pg_roles where rolname = name)`.execute(kysely)
    if (rows.length > 0) {
      const missing = rows.map(({ name }) => name).join(', ')
      throw new CommandError(
        `--grant: PostgreSQL has no ${rows.length === 1 ? 'role' : 'roles'} ${missing}; create them with deploy/postgres/roles.sql first`,
      )
    }
    try {
      await changeTables(kysely, async (trx) => {
        await sql`select set_config('tollgate.security_event_days', ${String(securityEventDays)}, true)`.execute(
          trx,
        )
        for (const text of texts) await sql.raw(text).execute(trx)
      })
    } catch (error) {
      if (!isForbidden(error)) throw error
      throw new CommandError(
        '--grant: the role of DATABASE_URL does not own the tables; use their owner, such as tollgate_owner',
        { cause: error },
      )
    }
  })
}
