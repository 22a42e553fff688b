import { createHash, type Hash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import type { SchemaName } from '../schema-history.ts'
import type { SchemaMigrations } from '../schema-migration.ts'
import { cutOff, parsed, parseHeader, readExportLines } from './export-file.ts'
import {
  type CountLine,
  type ExportEndLine,
  type ExportHeader,
  ExportUnusable,
  type SequenceLine,
  type TableEndLine,
  type TableLine,
} from './export-format.ts'
import { readTables, setForms, type Table, tableId } from './tables.ts'

/** The database has rows, and they are not to be replaced. Nothing was changed. */
export class DatabaseNotEmpty extends Error {
  constructor(table: string, rows: number) {
    super(`the database is not empty: ${table} has ${rows} ${rows === 1 ? 'row' : 'rows'}`)
    this.name = 'DatabaseNotEmpty'
  }
}

/** By owner, all migrations of this release. */
export type AllMigrations = Readonly<Record<SchemaName, SchemaMigrations>>

export interface ImportOptions {
  /** Has the tables of this release. */
  readonly database: Database
  readonly path: string
  readonly migrations: AllMigrations
  /** Whether existing rows are deleted first; otherwise the tables must be empty. */
  readonly replaces: boolean
  /** Tables that a database without any data may have rows in. */
  readonly seldomEmpty: ReadonlySet<string>
  /** Writes the entry of the audit, in the same transaction. */
  readonly record: (trx: Transaction<unknown>, report: ImportReport) => Promise<void>
}

/** What an import brought. */
export interface ImportReport {
  readonly header: ExportHeader
  readonly tables: number
  readonly rows: number
  /** Counts of limits, for the store that counts. */
  readonly counts: readonly CountLine['count'][]
  /** Names of the migrations that ran over the rows; empty for an export of this release. */
  readonly migrated: readonly string[]
}

/** Rows of one statement, and their characters. */
const rowsPerInsert = 1_000
const lengthPerInsert = 512 * 1024

/**
 * Brings all rows of an export into the database, in one transaction: after any
 * failure the database is as it was. An export of an earlier release comes into
 * the tables of that release, and the later migrations then run over its rows.
 * The database checks every constraint. Sequences continue where they were.
 *
 * @throws {ExportUnusable} | {DatabaseNotEmpty}
 */
export function importRows(options: ImportOptions): Promise<ImportReport> {
  const { database, path, migrations, replaces, seldomEmpty, record } = options
  return database.apart((kysely) =>
    kysely.transaction().execute(async (trx) => {
      await setForms(trx)
      const tables = await readTables(trx)
      // Writers block until the import commits.
      const all = sql.join(tables.map(tableId))
      await sql`lock table ${all} in access exclusive mode`.execute(trx)
      if (!replaces) await checkEmpty(trx, tables, seldomEmpty)
      await sql`truncate ${all} restart identity`.execute(trx)

      let loading: Loading | undefined
      for await (const lines of readExportLines(path)) {
        let first = 0
        if (loading === undefined) {
          const header = parseHeader(path, lines[0] ?? '')
          loading = await beginLoading({ trx, path, header, migrations, tables })
          first = 1
        }
        for (const line of lines.slice(first)) await loading.take(line)
      }
      if (loading === undefined) throw cutOff(path)
      const report = await loading.end()
      await record(trx, report)
      return report
    }),
  )
}

async function checkEmpty(
  trx: Transaction<unknown>,
  tables: readonly Table[],
  seldomEmpty: ReadonlySet<string>,
): Promise<void> {
  for (const table of tables) {
    if (seldomEmpty.has(table.name)) continue
    const { rows } = await sql<{ rows: number }>`
      select count(*)::int8 as rows from ${tableId(table)}`.execute(trx)
    const count = rows[0]?.rows ?? 0
    if (count > 0) throw new DatabaseNotEmpty(table.table, count)
  }
}

interface Loading {
  take(line: string): Promise<void>
  end(): Promise<ImportReport>
}

interface LoadingOptions {
  readonly trx: Transaction<unknown>
  readonly path: string
  readonly header: ExportHeader
  readonly migrations: AllMigrations
  /** Tables of this release. */
  readonly tables: readonly Table[]
}

interface OpenTable {
  readonly name: string
  readonly insert: (lines: readonly string[]) => Promise<void>
  readonly digest: Hash
  rows: number
}

async function beginLoading(options: LoadingOptions): Promise<Loading> {
  const { trx, path, header, migrations } = options
  const missing = missingMigrations(path, header, migrations)
  if (missing.length > 0) await remakeTables(options)
  const tables = missing.length > 0 ? await readTables(trx) : options.tables
  const byName = new Map(tables.map((table) => [table.name, table]))
  let open: OpenTable | undefined
  let waiting: string[] = []
  let waitingLength = 0
  let end: ExportEndLine | undefined
  const loaded = { tables: 0, rows: 0 }
  const counts: CountLine['count'][] = []

  async function flush(): Promise<void> {
    if (waiting.length === 0) return
    await open?.insert(waiting)
    waiting = []
    waitingLength = 0
  }

  async function takeRow(line: string): Promise<void> {
    if (open === undefined) throw damaged(path)
    open.digest.update(line).update('\n')
    open.rows += 1
    waiting.push(line)
    waitingLength += line.length
    if (waiting.length >= rowsPerInsert || waitingLength >= lengthPerInsert) await flush()
  }

  async function endTable(line: TableEndLine): Promise<void> {
    await flush()
    if (line.end !== open?.name || line.rows !== open.rows) throw damaged(path)
    if (line.sha256 !== open.digest.digest('hex')) {
      throw new ExportUnusable(`${path} is damaged: the rows of ${open.name} were changed`)
    }
    loaded.tables += 1
    loaded.rows += open.rows
    open = undefined
  }

  return {
    async take(line) {
      if (end !== undefined) throw damaged(path)
      if (line.startsWith('[')) return takeRow(line)
      const control = parsed(line)
      // Parse boundary: which kind of line it is. Names are compared with those of the database below.
      if (control === undefined) throw damaged(path)
      if ('table' in control && open === undefined) {
        open = openTable(trx, path, byName, control as unknown as TableLine)
      } else if ('sequence' in control && open === undefined) {
        await setSequence(trx, path, byName, control as unknown as SequenceLine)
      } else if ('count' in control && open === undefined) {
        counts.push((control as unknown as CountLine).count)
      } else if (control['end'] === 'export' && open === undefined) {
        end = control as unknown as ExportEndLine
      } else if ('end' in control) {
        await endTable(control as unknown as TableEndLine)
      } else {
        throw damaged(path)
      }
    },

    async end() {
      if (end === undefined) throw cutOff(path)
      const { tables, rows } = loaded
      if (end.tables !== tables || end.rows !== rows || end.counts !== counts.length) {
        throw damaged(path)
      }
      // PostgreSQL alters no table for which a deferred check of a reference still waits.
      await sql`set constraints all immediate`.execute(trx)
      for (const [owner, name] of missing) await migrations[owner][name]?.up(trx)
      return { header, ...loaded, counts, migrated: missing.map(([, name]) => name) }
    },
  }
}

/**
 * The migrations that the export's database did not have yet. An owner without
 * tables there has nothing to migrate.
 *
 * @throws {ExportUnusable} for an export of a later release
 */
function missingMigrations(
  path: string,
  header: ExportHeader,
  migrations: AllMigrations,
): [SchemaName, string][] {
  const missing: [SchemaName, string][] = []
  for (const owner of ['registry', 'bank'] as const) {
    const had = new Set(header.migrations[owner])
    const known = Object.keys(migrations[owner]).sort()
    const unknown = [...had].filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      throw new ExportUnusable(
        `${path} was made by release ${header.release} with the migration ${unknown.join(', ')}, which this release does not know; use release ${header.release} or a later one`,
      )
    }
    if (had.size === 0) continue
    for (const name of known) if (!had.has(name)) missing.push([owner, name])
  }
  return missing
}

/** Makes the empty tables as the export's release had them. */
async function remakeTables({ trx, header, migrations, tables }: LoadingOptions): Promise<void> {
  await sql`drop table ${sql.join(tables.map(tableId))}`.execute(trx)
  // Plus what its tables need.
  await sql`drop schema if exists bank cascade`.execute(trx)
  for (const owner of ['registry', 'bank'] as const) {
    const had = header.migrations[owner]
    const names = had.length > 0 ? had : Object.keys(migrations[owner])
    for (const name of [...names].sort()) await migrations[owner][name]?.up(trx)
  }
  // A migration may leave rows, which the export has, too.
  const made = await readTables(trx)
  await sql`truncate ${sql.join(made.map(tableId))} restart identity`.execute(trx)
}

/** @throws {ExportUnusable} */
function openTable(
  trx: Transaction<unknown>,
  path: string,
  tables: ReadonlyMap<string, Table>,
  { table: name, columns: names }: TableLine,
): OpenTable {
  const table = tables.get(name)
  const columns = names.map((column) => table?.columns.find((one) => one.name === column))
  if (table === undefined || columns.some((column) => column === undefined)) {
    throw new ExportUnusable(`${path} has a table ${name} that the migrations do not make`)
  }
  const into = sql.join(names.map((column) => sql.id(column)))
  const values = sql.join(
    // The types are the database's own words.
    columns.map(
      (column, place) => sql`(r.value ->> ${sql.lit(place)})::${sql.raw(column?.type ?? '')}`,
    ),
  )
  return {
    name,
    digest: createHash('sha256'),
    rows: 0,
    async insert(lines) {
      await sql`
        insert into ${tableId(table)} (${into}) overriding system value
        select ${values} from json_array_elements(${`[${lines.join(',')}]`}::json) as r`.execute(
        trx,
      )
    },
  }
}

/** @throws {ExportUnusable} */
async function setSequence(
  trx: Kysely<unknown>,
  path: string,
  tables: ReadonlyMap<string, Table>,
  { sequence, column, value }: SequenceLine,
): Promise<void> {
  const found = tables.get(sequence)?.columns.find(({ name }) => name === column)?.sequence
  if (found === undefined || found === null || !Number.isSafeInteger(value)) throw damaged(path)
  await sql`select setval(${found}::regclass, ${value})`.execute(trx)
}

function damaged(path: string): ExportUnusable {
  return new ExportUnusable(`${path} is damaged`)
}
