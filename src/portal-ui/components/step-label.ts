import type { History } from '../../portal/api/schemas/usage.ts'
import { dateFormat } from '../formats.ts'

const hour = { hour: '2-digit', minute: '2-digit' } as const
const hourOfDay = { day: 'numeric', month: 'short', ...hour } as const
const day = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const

interface Steps extends Pick<History, 'step'> {
  readonly items: ReadonlyArray<{ readonly at: string }>
}

/** Short name of a step under the plot: local time for hours, the UTC day for days. */
export function stepLabel({ step, items }: Steps, at: number): string {
  const item = items[at]
  if (item === undefined) return ''
  return dateFormat(step === 'day' ? day : hour).format(new Date(item.at))
}

/** Name of a step in the table: hours with their day, days as UTC counts them. */
export function stepName({ step }: Pick<History, 'step'>, at: string): string {
  return dateFormat(step === 'day' ? day : hourOfDay).format(new Date(at))
}
