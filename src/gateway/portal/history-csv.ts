import type { UsageSums, UsedOperation } from '../registry/usage-history.ts'

const columns = [
  'at',
  'api',
  'version',
  'operation',
  'admitted',
  'refused',
  'errors',
  'average_ms',
  'max_ms',
] as const

type Sum = 'admitted' | 'refused' | 'errors' | 'averageMs' | 'maxMs'

/**
 * The history as CSV (RFC 4180), one row for each step and operation with
 * calls, times in UTC. A field is empty if its value is unknown or does not
 * apply.
 */
export function historyCsv(
  rows: readonly (Pick<UsageSums, Sum> & UsedOperation & { readonly at: Date })[],
): string {
  const lines = rows.map((row) =>
    [
      row.at.toISOString(),
      row.api,
      row.version,
      row.operation,
      row.admitted,
      row.refused,
      row.errors,
      milliseconds(row.averageMs),
      milliseconds(row.maxMs),
    ]
      .map(field)
      .join(','),
  )
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

function milliseconds(value: number | null): string | null {
  return value === null ? null : value.toFixed(1)
}

/** Names come from the catalogue, but a program that opens the file would take some texts for formulas. */
function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
