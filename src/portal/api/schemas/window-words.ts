import type { Words } from '../../../messages/format.ts'
import { languageFacts } from '../../../messages/language.ts'
import type { PublishedLimit } from './catalogue.ts'
import type { ShownWindow } from './window-text.ts'

/** Units of time, the largest first. */
export const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const

/** Name of a unit of time. */
export type Unit = (typeof units)[number]['name']

const calendarWindows = {
  day: 'window.calendarDay',
  month: 'window.calendarMonth',
} as const

/** What follows "calls per", in a language: `hour`, `90 minutes`, `day (UTC)`, `calendar month (Europe/Berlin)`. */
export function windowWords({ windowSeconds, calendarWindow }: ShownWindow, words: Words): string {
  const { t } = words
  if (calendarWindow !== null) {
    return t(calendarWindows[calendarWindow.unit], { zone: calendarWindow.timeZone })
  }
  const seconds = windowSeconds ?? 1
  const unit = units.find((each) => seconds % each.seconds === 0)
  if (unit === undefined) return measured(seconds, 'second', words)
  const count = seconds / unit.seconds
  // Without a time zone, a day begins at midnight UTC.
  if (count === 1) return t(unit.name === 'day' ? 'window.dayUtc' : `window.${unit.name}`)
  return measured(count, unit.name, words)
}

/** One limit as a sentence without its full stop. */
export function limitWords(limit: PublishedLimit, words: Words): string {
  return words.t(limit.scope === 'operation' ? 'limit.perOperation' : 'limit.together', {
    count: limit.calls,
    window: windowWords(limit, words),
  })
}

/** `90 minutes`. */
export function measured(amount: number, unit: Unit, { language }: Words): string {
  const { locale } = languageFacts[language]
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
}
