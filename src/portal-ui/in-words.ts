import type { PublishedLimit } from '../gateway/portal/schemas/catalogue.ts'
import { pageLanguage } from './page-language.ts'

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

/** `hour`, or `15 minutes`: what follows "calls per". */
export function windowInWords(windowSeconds: number): string {
  return durationInWords(windowSeconds).replace(/^1 (\w+)$/, '$1')
}

/** The current period of a limit in words: `this hour`, `today`. */
export function thisPeriod(windowSeconds: number): string {
  const { name } = units.find(({ seconds }) => seconds === windowSeconds) ?? {}
  if (name === undefined) return 'in this period'
  return name === 'day' ? 'today' : `this ${name}`
}

/** `1 call`, `1,000 calls`. */
export function counted(amount: number, noun: string): string {
  return `${wholeNumber(amount)} ${noun}${amount === 1 ? '' : 's'}`
}

/** With separators between thousands. */
export function wholeNumber(amount: number): string {
  return amount.toLocaleString(pageLanguage)
}

/** One limit as a sentence without its full stop. */
export function limitInWords({ calls, windowSeconds, scope }: PublishedLimit): string {
  const counts = `${counted(calls, 'call')} per ${windowInWords(windowSeconds)}`
  return scope === 'operation'
    ? `${counts} for each operation`
    : `${counts} for all operations together`
}

/** `0.4 ms`, `12 ms`, `1,204 ms`. */
export function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : wholeNumber(Math.round(ms))} ms`
}
