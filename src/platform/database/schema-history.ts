import { type Kysely, sql } from 'kysely'

/** The owners of tables. Each has its own history. */
export type SchemaName = 'registry' | 'bank'

/** A migration that has run. */
export interface MigrationRun {
  readonly name: string
  /** The release that ran it. */
  readonly release: string
  /** The oldest release whose processes work on the tables since then; undefined: every release does. */
  readonly oldestRelease: string | undefined
}

/** Reads what has run. Needs no rights on a table that does not exist. */
export async function readHistory(
  db: Kysely<unknown>,
  schema: SchemaName,
): Promise<readonly MigrationRun[]> {
  if (!(await isThere(db, schema))) return []
  const { rows } = await sql<{ name: string; release: string; oldest_release: string | null }>`
    select name, release, oldest_release from ${historyOf(schema)} order by name`.execute(db)
  return rows.map(({ name, release, oldest_release: oldestRelease }) => ({
    name,
    release,
    oldestRelease: oldestRelease ?? undefined,
  }))
}

/** Creates the table of the history if it is missing. */
export async function createHistory(db: Kysely<unknown>, schema: SchemaName): Promise<void> {
  if (await isThere(db, schema)) return
  await sql`create table ${historyOf(schema)} (
    name text primary key,
    release text not null,
    oldest_release text,
    at timestamptz not null default now()
  )`.execute(db)
}

/** Notes that a migration has run, in the same transaction. */
export async function noteMigration(
  db: Kysely<unknown>,
  schema: SchemaName,
  { name, release, oldestRelease }: MigrationRun,
): Promise<void> {
  await sql`insert into ${historyOf(schema)} (name, release, oldest_release)
    values (${name}, ${release}, ${oldestRelease ?? null})`.execute(db)
}

async function isThere(db: Kysely<unknown>, schema: SchemaName): Promise<boolean> {
  // Not to_regclass: it may remember that a table was missing before this transaction waited for another process.
  const { rows } = await sql`
    select from pg_class where relname = ${tableName(schema)} and pg_table_is_visible(oid)`.execute(
    db,
  )
  return rows.length > 0
}

function historyOf(schema: SchemaName) {
  return sql.table(tableName(schema))
}

function tableName(schema: SchemaName): string {
  return `${schema}_migrations`
}
