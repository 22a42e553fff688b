import { type Kysely, sql } from 'kysely'

/** The owners of tables. Each has its own history. */
export type SchemaName = 'registry' | 'bank'

/** A migration that has run. */
export interface MigrationRun {
  readonly name: string
  /** The release that ran it; undefined: 0.1.0, which did not note it. */
  readonly release: string | undefined
  /** The oldest release whose processes work on the tables since then; undefined: every release does. */
  readonly oldestRelease: string | undefined
}

/**
 * The last migrations of release 0.1.0. That release reads `<schema>_migration`
 * and does not start if it finds a name there that it does not know. So later
 * migrations are noted in `<schema>_upgrade`, and in the first table only if
 * 0.1.0 must not start.
 */
const lastOfFirstRelease = { registry: '0023-usage-histogram', bank: '0011-form-keys' } as const
const firstRelease = '0.1.0'

/** Reads what has run. Needs no rights on tables that do not exist. */
export async function readHistory(
  db: Kysely<unknown>,
  schema: SchemaName,
): Promise<readonly MigrationRun[]> {
  const has = await tablesOf(db, schema)
  const later = has.later ? await readLater(db, schema) : []
  if (!has.first) return later
  const first = await sql<{ name: string }>`
    select name from ${sql.table(firstTable(schema))} order by name`.execute(db)
  const known = new Set(later.map(({ name }) => name))
  return [
    ...first.rows
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => ({ name, release: undefined, oldestRelease: undefined })),
    ...later,
  ]
}

/** Which tables of the history exist. */
async function tablesOf(
  db: Kysely<unknown>,
  schema: SchemaName,
): Promise<{ first: boolean; later: boolean }> {
  // Not to_regclass: it may remember that a table was missing before this transaction waited for another process.
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_class
    where relname in (${firstTable(schema)}, ${laterTable(schema)}) and pg_table_is_visible(oid)`.execute(
    db,
  )
  const names = new Set(rows.map(({ relname }) => relname))
  return { first: names.has(firstTable(schema)), later: names.has(laterTable(schema)) }
}

async function readLater(db: Kysely<unknown>, schema: SchemaName): Promise<MigrationRun[]> {
  const { rows } = await sql<{ name: string; release: string; oldest_release: string | null }>`
    select name, release, oldest_release from ${sql.table(laterTable(schema))}
    order by name`.execute(db)
  return rows.map(({ name, release, oldest_release: oldestRelease }) => ({
    name,
    release,
    oldestRelease: oldestRelease ?? undefined,
  }))
}

/** Creates the tables of the history where they are missing. */
export async function createHistory(db: Kysely<unknown>, schema: SchemaName): Promise<void> {
  const has = await tablesOf(db, schema)
  if (!has.first) {
    // As release 0.1.0 creates them: it may run on these tables too.
    await sql`create table ${sql.table(firstTable(schema))}
      (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(db)
    const lock = sql.table(`${firstTable(schema)}_lock`)
    await sql`create table if not exists ${lock}
      (id varchar(255) primary key, is_locked integer not null default 0)`.execute(db)
    await sql`insert into ${lock} (id) values ('migration_lock') on conflict do nothing`.execute(db)
  }
  if (!has.later) {
    await sql`create table ${sql.table(laterTable(schema))} (
      name text primary key,
      release text not null,
      oldest_release text,
      at timestamptz not null default now()
    )`.execute(db)
  }
}

/** Notes that a migration has run, in the same transaction. */
export async function noteMigration(
  db: Kysely<unknown>,
  schema: SchemaName,
  { name, release, oldestRelease }: MigrationRun & { readonly release: string },
): Promise<void> {
  const isFirst = name <= lastOfFirstRelease[schema]
  if (isFirst || (oldestRelease !== undefined && oldestRelease !== firstRelease)) {
    await sql`insert into ${sql.table(firstTable(schema))} (name, timestamp)
      values (${name}, ${new Date().toISOString()})`.execute(db)
  }
  if (!isFirst) {
    await sql`insert into ${sql.table(laterTable(schema))} (name, release, oldest_release)
      values (${name}, ${release}, ${oldestRelease ?? null})`.execute(db)
  }
}

function firstTable(schema: SchemaName): string {
  return `${schema}_migration`
}

function laterTable(schema: SchemaName): string {
  return `${schema}_upgrade`
}
