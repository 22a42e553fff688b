/**
 * Rows as CSV (RFC 4180) under their column names. A field is empty if its
 * value is unknown or does not apply.
 */
export function csvOf<const Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): string {
  const lines = rows.map((row) => columns.map((column) => field(row[column])).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

/** A program that opens the file would take some texts for formulas. */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
