import { type Language, languageFacts } from '../../messages/language.ts'

/** A moment as mails say it: `20 November 2026, 14:05 UTC`. */
export function utcTime(at: Date, language: Language): string {
  return `${utcDay(at, language)}, ${utcClock(at)}`
}

/** `14:05 UTC` */
export function utcClock(at: Date): string {
  return `${at.toISOString().slice(11, 16)} UTC`
}

/** A day as mails say it: `20 November 2026`. */
export function utcDay(at: Date, language: Language): string {
  const { locale } = languageFacts[language]
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}

/** The UTC day of a moment, `YYYY-MM-DD`, moved by whole days. */
export function dayOf(nowMs: number, daysLater = 0): string {
  return new Date(nowMs + daysLater * 86_400_000).toISOString().slice(0, 10)
}

/** Whole days from one day to another, both `YYYY-MM-DD`. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}
