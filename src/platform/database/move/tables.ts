import { type Kysely, sql } from 'kysely'
import { readHistory, type SchemaName } from '../schema-history.ts'

/** A table as the database describes it. */
export interface Table {
  /** `registry.developers`: the same in every database, whatever its schema is called. */
  readonly name: string
  readonly owner: SchemaName
  readonly schema: string
  readonly table: string
  readonly columns: readonly Column[]
  /** Columns of the primary key in their order; empty without one. */
  readonly key: readonly string[]
}

export interface Column {
  readonly name: string
  /** For a cast. */
  readonly type: string
  /** Whether its order depends on a language. */
  readonly isCollated: boolean
  /** The sequence behind it, as `schema.name`; null without one. */
  readonly sequence: string | null
}

interface Row {
  readonly id: number
  readonly schema: string
  readonly table: string
  readonly columns: readonly Column[]
  readonly key: readonly string[] | null
  readonly parents: readonly number[] | null
}

/**
 * The tables of registry and bank, a table after those that it refers to. Found
 * in the database, so that no table of a later release can be forgotten. Not
 * the histories of migrations.
 */
export async function readTables(db: Kysely<unknown>): Promise<readonly Table[]> {
  const { rows } = await sql<Row>`
    select c.oid::int8 as id, n.nspname::text as schema, c.relname::text as "table",
      (select json_agg(json_build_object(
          'name', a.attname,
          'type', format_type(a.atttypid, a.atttypmod),
          'isCollated', a.attcollation <> 0,
          'sequence', pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname)
        ) order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select json_agg(a.attname order by k.place)
        from pg_index i
        cross join lateral unnest(i.indkey) with ordinality as k(number, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select json_agg(f.confrelid::int8) from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f') as parents
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and (n.nspname = current_schema() or n.nspname = 'bank')
      and c.relname not in ('registry_migrations', 'bank_migrations')
    order by n.nspname desc, c.relname`.execute(db)
  return parentsFirst(rows).map(({ schema, table, columns, key }) => {
    const owner = schema === 'bank' ? 'bank' : 'registry'
    return { name: `${owner}.${table}`, owner, schema, table, columns, key: key ?? [] }
  })
}

function parentsFirst(rows: readonly Row[]): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const ordered = new Set<Row>()
  const visit = (row: Row, children: readonly Row[]): void => {
    if (ordered.has(row) || children.includes(row)) return
    for (const id of row.parents ?? []) {
      const parent = byId.get(id)
      if (parent !== undefined) visit(parent, [...children, row])
    }
    ordered.add(row)
  }
  for (const row of rows) visit(row, [])
  return [...ordered]
}

/** The names of the migrations that the database has, in their order; empty without tables of that owner. */
export async function readMigrations(
  db: Kysely<unknown>,
  owner: SchemaName,
): Promise<readonly string[]> {
  return (await readHistory(db, owner)).map(({ name }) => name).sort()
}

/** One form of times and octets for export and import, whatever the server's own settings are. Within a transaction. */
export async function setForms(trx: Kysely<unknown>): Promise<void> {
  for (const setting of [
    `timezone = 'UTC'`,
    `datestyle = 'ISO'`,
    `intervalstyle = 'postgres'`,
    `bytea_output = 'hex'`,
  ]) {
    await sql.raw(`set local ${setting}`).execute(trx)
  }
}

/** `schema.table` for a statement. */
export function tableId({ schema, table }: Pick<Table, 'schema' | 'table'>) {
  return sql.id(schema, table)
}
