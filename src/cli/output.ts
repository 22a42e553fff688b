import Table from 'cli-table3'

/** Where a command writes: the result to standard output, everything else to standard error. */
export interface Output {
  /**
   * Writes the result: `value` as one line of JSON with `--json`, otherwise the
   * text from `draw`. Once per command.
   */
  result(json: boolean | undefined, value: unknown, draw: () => string): void
  /** Writes a line of a command that keeps running. */
  line(text: string): void
  /** Writes a remark for the person. */
  note(text: string): void
}

export interface OutputOptions {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

export function createOutput({ stdout, stderr }: OutputOptions): Output {
  return {
    result(json, value, draw) {
      stdout.write(`${json === true ? JSON.stringify(value) : draw()}\n`)
    },
    line(text) {
      stdout.write(`${text}\n`)
    },
    note(text) {
      stderr.write(`${text}\n`)
    },
  }
}

/**
 * Draws a row for each item; `(none)` without any.
 *
 * @param columns by heading: the member to show, or how to make its cell
 */
export function drawTable<Item extends { readonly [Name in keyof Item]: unknown }>(
  items: readonly Item[],
  columns: Readonly<Record<string, CellsOf<Item> | ((item: Item) => Cell)>>,
): string {
  if (items.length === 0) return '(none)'
  const head = Object.keys(columns)
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  for (const item of items) {
    const cells = Object.values(columns).map(
      (column): Cell => (typeof column === 'function' ? column(item) : (item[column] as Cell)),
    )
    table.push(cells.map(drawCell))
  }
  return table.toString()
}

/** Members that fit into a cell. */
type CellsOf<Item> = {
  [Name in keyof Item]: Item[Name] extends Cell ? Name : never
}[keyof Item]

/** Draws one item, a line for each field. */
export function drawFields(fields: Readonly<Record<string, Cell>>): string {
  const table = new Table({ style: { head: [], border: [], compact: true } })
  table.push(...Object.entries(fields).map(([name, cell]) => [name, drawCell(cell)]))
  return table.toString()
}

export type Cell = string | number | boolean | Date | null

function drawCell(cell: Cell): string {
  if (cell === null) return '-'
  if (cell instanceof Date) return cell.toISOString()
  return printable(String(cell))
}

/** Replaces what could move the cursor or colour the terminal: names are text of other people. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}
