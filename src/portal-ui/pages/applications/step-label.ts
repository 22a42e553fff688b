import type { History } from '../../../gateway/portal/schemas/usage.ts'
import { pageLanguage } from '../../page-language.ts'

const hour = new Intl.DateTimeFormat(pageLanguage, { hour: '2-digit', minute: '2-digit' })
const hourOfDay = new Intl.DateTimeFormat(pageLanguage, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const day = new Intl.DateTimeFormat(pageLanguage, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

/** Short name of a step under the plot: local time for hours, the UTC day for days. */
export function stepLabel({ step, items }: History, at: number): string {
  const item = items[at]
  if (item === undefined) return ''
  return (step === 'day' ? day : hour).format(new Date(item.at))
}

/** Name of a step in the table: hours with their day, days as UTC counts them. */
export function stepName({ step }: Pick<History, 'step'>, at: string): string {
  return (step === 'day' ? day : hourOfDay).format(new Date(at))
}
