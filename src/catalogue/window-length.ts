import type { CalendarLength, CalendarPeriod, ShownWindow, WindowLength } from './catalogue.ts'
import { parseDuration } from './duration.ts'

/**
 * Reads the window of a limit: an ISO 8601 duration of fixed length, or `P1M`.
 * With a time zone, `P1D` is a calendar day. Without one, it is a day of UTC.
 *
 * @param timeZone as {@link parseTimeZone} returned it
 * @returns undefined for anything else, and for `P1M` without a time zone
 */
export function parseWindow(text: string, timeZone: string | undefined): WindowLength | undefined {
  if (timeZone !== undefined && (text === 'P1D' || text === 'P1M')) return `${text}@${timeZone}`
  return parseDuration(text)
}

/** Reads a length from its text; undefined when the text is malformed or this system does not know the time zone. */
export function readWindowLength(text: string): WindowLength | undefined {
  const [, seconds, period, timeZone = ''] = /^(?:(\d{1,15})|(P1D|P1M)@(\S+))$/.exec(text) ?? []
  if (seconds !== undefined) return Number(seconds)
  const known = parseTimeZone(timeZone)
  return known === undefined || period === undefined ? undefined : parseWindow(period, known)
}

/** The IANA name of a time zone in its usual spelling; undefined when the name is unknown. */
export function parseTimeZone(name: string): string | undefined {
  // Temporal also takes offsets (`+02:00`), which know no summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    // Temporal has no other way to ask for a name.
    return undefined
  }
}

export function calendarPeriod(length: CalendarLength): CalendarPeriod {
  return { unit: length.startsWith('P1M') ? 'month' : 'day', timeZone: length.slice(4) }
}

export function shownWindow(length: WindowLength): ShownWindow {
  return typeof length === 'number'
    ? { windowSeconds: length, calendarWindow: null }
    : { windowSeconds: null, calendarWindow: calendarPeriod(length) }
}
