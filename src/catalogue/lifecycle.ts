import type { Lifecycle } from './catalogue.ts'

/** Whether answers of the version announce its deprecation by date: from 00:00 UTC of the day on. */
export function isDeprecated(lifecycle: Lifecycle, nowMs: number): boolean {
  return lifecycle.deprecated !== undefined && nowMs >= dayStart(lifecycle.deprecated)
}

/** Whether the announced end of the version has passed: from 00:00 UTC of the day on. */
export function isSunset(lifecycle: Lifecycle, nowMs: number): boolean {
  return lifecycle.sunset !== undefined && nowMs >= dayStart(lifecycle.sunset)
}

/** Whether every call of the version is answered 410: from 00:00 UTC of the day on. */
export function isRetired(lifecycle: Lifecycle, nowMs: number): boolean {
  return lifecycle.retired !== undefined && nowMs >= dayStart(lifecycle.retired)
}

/**
 * The value of `Deprecation` for a day: `@1713052800`, a date of structured
 * fields (RFC 9745, section 2.1). It may be in the future, so it is sent as
 * soon as the day is known.
 */
export function deprecationHeader(date: string): string {
  return `@${dayStart(date) / 1000}`
}

/** The value of `Sunset` for a day: `Sun, 31 Oct 2027 00:00:00 GMT` (RFC 8594, section 3; RFC 9110, 5.6.7). */
export function sunsetHeader(date: string): string {
  return new Date(dayStart(date)).toUTCString()
}

/**
 * Reads `YYYY-MM-DD` as the milliseconds since 1970 at 00:00 UTC of that day; undefined if it is not a day of the calendar.
 */
export function parseDate(text: string): number | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined
  const milliseconds = Date.parse(`${text}T00:00:00Z`)
  // Date.parse lets 31 February roll into March.
  const isReal =
    !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(text)
  return isReal ? milliseconds : undefined
}

function dayStart(date: string): number {
  const milliseconds = parseDate(date)
  if (milliseconds === undefined) throw new Error('the catalogue holds an invalid date')
  return milliseconds
}
