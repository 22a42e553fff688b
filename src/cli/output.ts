import Table from 'cli-table3'

/** Where a command writes: the result to standard output, everything else to standard error. */
export interface Output {
  /**
   * Writes the result: `value` as one line of JSON with `--json`, otherwise the
   * text from `draw`. Once per command.
   */
  result(json: boolean | undefined, value: unknown, draw: () => string): void
  /** Writes a finished result. */
  verbatim(text: string): void
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
    verbatim(text) {
      stdout.write(text)
    },
    line(text) {
      stdout.write(`${text}\n`)
    },
    note(text) {
      stderr.write(`${text}\n`)
    },
  }
}

/** Draws rows under their headings; `(none)` without any. */
export function drawTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '(none)'
  const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } })
  table.push(...rows.map((row) => row.map(drawCell)))
  return table.toString()
}

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
