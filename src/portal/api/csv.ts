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

/** What a formula begins with; also in full width, as some programs of East Asia read it. */
const formulaSigns = '=+\\-@\uff1d\uff0b\uff0d\uff20'
const beforeFormula = new RegExp(`(^|[;\\t\\r\\n])([\\s"]*)(?=[${formulaSigns}])`, 'g')

/**
 * A program that opens the file would take some texts for formulas. In some
 * countries it separates cells by semicolons, so a text has cells of its own there.
 */
function field(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  const inert = value.replace(/^[\t\r]/, (sign) => `'${sign}`).replaceAll(beforeFormula, "$1$2'")
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
