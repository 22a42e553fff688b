import type { UsageSums, UsedOperation } from '../../registry/usage/usage-history.ts'
import { csvOf } from './csv.ts'

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
  'client_errors',
] as const

type Sum = 'admitted' | 'refused' | 'errors' | 'clientErrors' | 'averageMs' | 'maxMs'

/** The history as CSV, one row for each step and operation with calls, times in UTC. */
export function historyCsv(
  rows: readonly (Pick<UsageSums, Sum> & UsedOperation & { readonly at: Date })[],
): string {
  return csvOf(
    columns,
    rows.map(({ at, averageMs, maxMs, clientErrors, ...row }) => ({
      ...row,
      at: at.toISOString(),
      average_ms: milliseconds(averageMs),
      max_ms: milliseconds(maxMs),
      client_errors: clientErrors,
    })),
  )
}

function milliseconds(value: number | null): string | null {
  return value === null ? null : value.toFixed(1)
}
