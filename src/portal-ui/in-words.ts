import type { PublishedLimit } from '../gateway/portal/schemas/catalogue.ts'
import { type ShownWindow, windowText } from '../gateway/portal/schemas/window-text.ts'
import { pageLocale } from './words.ts'

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const

/** A length in its two largest units: `2 hours 5 minutes`; `0 seconds` when nothing is left. */
export function durationInWords(seconds: number): string {
  let rest = Math.max(0, Math.ceil(seconds))
  const words: string[] = []
  for (const unit of units) {
    const amount = Math.floor(rest / unit.seconds)
    rest -= amount * unit.seconds
    if (amount > 0) words.push(counted(amount, unit.name))
    // Seconds beside hours only distract.
    if (words.length === 2 || (words.length === 1 && amount === 0)) break
  }
  return words.join(' ') || '0 seconds'
}

/** The current period of a limit in words: `this hour`, `today (UTC)`, `this month (Europe/Berlin)`. */
export function thisPeriod({ windowSeconds, calendarWindow }: ShownWindow): string {
  const name = calendarWindow?.unit ?? units.find(({ seconds }) => seconds === windowSeconds)?.name
  if (name === undefined) return 'in this period'
  // A reader may live where the day begins at another hour.
  const zone = calendarWindow?.timeZone ?? (name === 'day' ? 'UTC' : undefined)
  const period = name === 'day' ? 'today' : `this ${name}`
  return zone === undefined ? period : `${period} (${zone})`
}

/** `1 call`, `1,000 calls`. */
export function counted(amount: number, noun: string): string {
  return `${wholeNumber(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** With separators between thousands. */
export function wholeNumber(amount: number): string {
  return amount.toLocaleString(pageLocale())
}

/** One limit as a sentence without its full stop. */
export function limitInWords(limit: PublishedLimit): string {
  const counts = `${counted(limit.calls, 'call')} per ${windowText(limit)}`
  return limit.scope === 'operation'
    ? `${counts} for each operation`
    : `${counts} for all operations together`
}

/** `0.4 ms`, `12 ms`, `1,204 ms`. */
export function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : wholeNumber(Math.round(ms))} ms`
}
