import { languageFacts } from '../messages/language.ts'
import type { PublishedLimit } from '../portal/api/schemas/catalogue.ts'
import type { ShownWindow } from '../portal/api/schemas/window-text.ts'
import { limitWords, measured, units, windowWords } from '../portal/api/schemas/window-words.ts'
import { pageLanguage, pageLocale, t, words } from './words.ts'

/** A length in its two largest units: `2 hours 5 minutes`; `0 seconds` when nothing is left. */
export function durationInWords(seconds: number): string {
  let rest = Math.max(0, Math.ceil(seconds))
  const parts: string[] = []
  for (const unit of units) {
    const amount = Math.floor(rest / unit.seconds)
    rest -= amount * unit.seconds
    if (amount > 0) parts.push(measured(amount, unit.name, words()))
    // Seconds beside hours only distract.
    if (parts.length === 2 || (parts.length === 1 && amount === 0)) break
  }
  if (parts.length === 0) return measured(0, 'second', words())
  return new Intl.ListFormat(pageLocale(), { type: 'unit', style: 'narrow' }).format(parts)
}

/** The current period of a limit in words: `this hour`, `today (UTC)`, `this month (Europe/Berlin)`. */
export function thisPeriod({ windowSeconds, calendarWindow }: ShownWindow): string {
  const unit = calendarWindow?.unit ?? units.find(({ seconds }) => seconds === windowSeconds)?.name
  // A reader may live where the day begins at another hour.
  const zone = calendarWindow?.timeZone ?? (unit === 'day' ? 'UTC' : undefined)
  const period = t('period.this', { unit: unit ?? 'other' })
  return zone === undefined ? period : t('period.inZone', { period, zone })
}

/** What follows "calls per": `hour`, `90 minutes`, `day (UTC)`, `calendar month (Europe/Berlin)`. */
export function windowInWords(window: ShownWindow): string {
  return windowWords(window, words())
}

/** `1 call`, `1,000 calls`. */
export function counted(count: number, noun: 'call' | 'operation'): string {
  return t(`count.${noun}`, { count })
}

/** With separators between thousands. */
export function wholeNumber(amount: number): string {
  return amount.toLocaleString(pageLocale())
}

/** One limit as a sentence without its full stop. */
export function limitInWords(limit: PublishedLimit): string {
  return limitWords(limit, words())
}

/** `0.4 ms`, `12 ms`, `1,204 ms`. */
export function milliseconds(ms: number): string {
  const digits = ms < 10 ? 1 : 0
  const text = new Intl.NumberFormat(pageLocale(), {
    style: 'unit',
    unit: 'millisecond',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(ms)
  // Its unit is Latin, so it would turn around among Hebrew (LEFT-TO-RIGHT ISOLATE, UAX #9).
  return languageFacts[pageLanguage()].direction === 'ltr' ? text : `\u2066${text}\u2069`
}

/** `12.5 %`, `0.3 %`. @param share from 0 to 1 */
export function percent(share: number): string {
  return new Intl.NumberFormat(pageLocale(), {
    style: 'percent',
    maximumFractionDigits: share < 0.1 ? 1 : 0,
  }).format(share)
}

/** `in 13 min`, `2 hr. ago`, `now` for less than five seconds; in its largest whole unit. @param ms negative: past */
export function relativeTime(ms: number): string {
  // The short form in Hebrew puts numbers in brackets.
  const style = pageLanguage() === 'he' ? 'long' : 'short'
  const format = new Intl.RelativeTimeFormat(pageLocale(), { numeric: 'auto', style })
  const seconds = Math.abs(ms) / 1000
  if (seconds < 5) return format.format(0, 'second')
  const unit = units.find((each) => seconds >= each.seconds) ?? units[3]
  // Rounds up for the future and down for the past.
  const amount = ms < 0 ? -Math.floor(seconds / unit.seconds) : Math.ceil(seconds / unit.seconds)
  return format.format(amount, unit.name)
}
