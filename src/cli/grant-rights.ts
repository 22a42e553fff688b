import { readFile } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { changeTables } from '../platform/database/change-tables.ts'
import type { Database } from '../platform/database/database.ts'
import { CommandError } from './command-error.ts'
import { unreachable } from './database-session.ts'

const roles = ['gateway', 'portal', 'bank', 'serving'].map((role) => `tollgate_${role}`)
const files = ['../registry/migrations/rights.sql', '../backend/stores/migrations/rights.sql'].map(
  (path) => new URL(path, import.meta.url),
)

/** @throws {CommandError} a role of deploy/postgres/roles.sql does not exist */
export async function requireRoles(database: Database): Promise<void> {
  const { rows } = await database
    .apart((kysely) =>
      sql<{ name: string }>`
        select name from unnest(${roles}::text[]) as name
        where not exists (select from pg_roles where rolname = name)`.execute(kysely),
    )
    .catch((error: unknown) => {
      throw unreachable('the database', error)
    })
  if (rows.length === 0) return
  const missing = rows.map(({ name }) => name).join(', ')
  throw new CommandError(
    `--grant: PostgreSQL has no ${rows.length === 1 ? 'role' : 'roles'} ${missing}; create them with deploy/postgres/roles.sql first. Nothing was changed`,
  )
}

/**
 * Sets the rights of the roles of deploy/postgres/roles.sql on all tables anew,
 * in one transaction. The role of DATABASE_URL owns the tables.
 *
 * @throws {CommandError} this role does not own the tables, or others hold them
 */
export async function grantRights(
  database: Database,
  { securityEventDays }: { readonly securityEventDays: number },
): Promise<void> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  await database.apart(async (kysely) => {
    await requireOwner(kysely)
    try {
      await changeTables(kysely, async (trx) => {
        await sql`select set_config('tollgate.security_event_days', ${String(securityEventDays)}, true)`.execute(
          trx,
        )
        for (const text of texts) await sql.raw(text).execute(trx)
      })
    } catch (error) {
      throw new CommandError(
        '--grant: the tables are up to date, but the rights were not set; run the command again',
        { cause: error },
      )
    }
  })
}

/** @throws {CommandError} another role owns a table */
async function requireOwner(kysely: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string; owner: string }>`
    select c.oid::regclass::text as name, pg_get_userbyid(c.relowner) as owner
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and not pg_has_role(c.relowner, 'usage')
      and (n.nspname = 'bank' or c.oid in ('registry_migrations'::regclass, 'security_events'::regclass))
    order by c.oid limit 1`.execute(kysely)
  const [first] = rows
  if (first === undefined) return
  throw new CommandError(
    `--grant: the role of DATABASE_URL does not own the table ${first.name}; use its owner, ${first.owner}`,
  )
}
