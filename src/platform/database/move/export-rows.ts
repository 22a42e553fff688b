import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database.ts'
import {
  type CountLine,
  type ExportEndLine,
  type ExportHeader,
  exportFormat,
  type SequenceLine,
  type TableEndLine,
  type TableLine,
} from './export-format.ts'
import { readMigrations, readTables, setForms, type Table, tableId } from './tables.ts'

export interface ExportOptions {
  readonly database: Database
  readonly release: string
  readonly secrets: ExportHeader['secrets']
  /** Names of tables (`registry.sessions`) whose rows stay behind. */
  readonly without: ReadonlySet<string>
  /** Reads the end of the audit's chain in the transaction of the export. */
  readonly auditEnd: (trx: Kysely<unknown>) => Promise<ExportHeader['audit']>
  /** Reads the counts of limits, after the rows: so they are no lower than the usage in the rows. */
  readonly counts: (trx: Kysely<unknown>) => Promise<readonly CountLine[]>
}

/** What an export held. */
export interface ExportReport {
  readonly madeAt: string
  readonly tables: number
  readonly rows: number
  /** Limits with calls in their windows. */
  readonly counts: number
  readonly audit: ExportHeader['audit']
}

/** Rows that are in memory at a time. */
const rowsPerFetch = 1_000

/**
 * Hands all rows of the database to `write` as the text of an export
 * (`export-format.ts`), all as they were at one instant. Other connections
 * write on meanwhile, except in the embedded database, where they wait.
 */
export function exportRows(
  { database, release, secrets, without, auditEnd, counts }: ExportOptions,
  write: (text: string) => Promise<void>,
): Promise<ExportReport> {
  return database.apart((kysely) =>
    kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        await setForms(trx)
        // A role that may not read some rows fails instead of leaving them out.
        await sql`set local row_security = off`.execute(trx)
        const { rows: times } = await sql<{ at: Date }>`select now() as at`.execute(trx)
        const header: ExportHeader = {
          tollgate: 'export',
          format: exportFormat,
          release,
          madeAt: (times[0]?.at ?? new Date()).toISOString(),
          migrations: {
            registry: await readMigrations(trx, 'registry'),
            bank: await readMigrations(trx, 'bank'),
          },
          secrets,
          audit: await auditEnd(trx),
        }
        await write(lineOf(header))
        const found = await readTables(trx)
        const tables = found.filter(({ name }) => !without.has(name))
        let rows = 0
        for (const table of tables) rows += await exportTable(trx, table, write)
        for (const line of await readSequences(trx, found)) await write(lineOf(line))
        const counted = await counts(trx)
        for (const line of counted) await write(lineOf(line))
        const totals = { tables: tables.length, rows, counts: counted.length }
        const end: ExportEndLine = { end: 'export', ...totals }
        await write(lineOf(end))
        return { madeAt: header.madeAt, ...totals, audit: header.audit }
      }),
  )
}

/** @returns the number of rows */
async function exportTable(
  trx: Transaction<unknown>,
  table: Table,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const columns = table.columns.map(({ name }) => name)
  const head: TableLine = { table: table.name, columns }
  await write(lineOf(head))
  const values = columns.map((name) => sql`${sql.id(name)}::text`)
  await sql`
    declare export_rows no scroll cursor for
    select json_build_array(${sql.join(values)})::text as line
    from ${tableId(table)} ${orderOf(table)}`.execute(trx)
  const digest = createHash('sha256')
  let rows = 0
  for (;;) {
    const fetched = await sql<{ line: string }>`
      fetch ${sql.lit(rowsPerFetch)} from export_rows`.execute(trx)
    if (fetched.rows.length > 0) {
      const text = `${fetched.rows.map(({ line }) => line).join('\n')}\n`
      digest.update(text)
      rows += fetched.rows.length
      await write(text)
    }
    if (fetched.rows.length < rowsPerFetch) break
  }
  await sql`close export_rows`.execute(trx)
  const end: TableEndLine = { end: table.name, rows, sha256: digest.digest('hex') }
  await write(lineOf(end))
  return rows
}

/** The same rows in the same order give the same digest in every database. */
function orderOf({ key, columns }: Table) {
  const collated = new Set(columns.filter((column) => column.isCollated).map(({ name }) => name))
  const terms = (key.length > 0 ? key : columns.map(({ name }) => name)).map((name) => {
    if (key.length === 0) return sql`${sql.id(name)}::text collate "C"`
    return collated.has(name) ? sql`${sql.id(name)} collate "C"` : sql.id(name)
  })
  return sql`order by ${sql.join(terms)}`
}

/** Sequences know no snapshot, so a value may be younger than the rows: numbers are left out, never given twice. */
async function readSequences(
  trx: Transaction<unknown>,
  tables: readonly Table[],
): Promise<SequenceLine[]> {
  const lines: SequenceLine[] = []
  for (const table of tables) {
    for (const { name, sequence } of table.columns) {
      if (sequence === null) continue
      const { rows } = await sql<{ value: number; called: boolean }>`
        select last_value as value, is_called as called from ${sql.raw(sequence)}`.execute(trx)
      const [state] = rows
      if (state?.called === true) {
        lines.push({ sequence: table.name, column: name, value: state.value })
      }
    }
  }
  return lines
}

function lineOf(
  line: ExportHeader | TableLine | TableEndLine | SequenceLine | CountLine | ExportEndLine,
) {
  return `${JSON.stringify(line)}\n`
}
