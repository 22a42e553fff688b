import type { CalendarLength, WindowLength } from '../../catalogue/catalogue.ts'
import { calendarPeriod } from '../../catalogue/window-length.ts'

/**
 * One window of a limit. Windows are fixed and follow each other without gaps,
 * so all processes agree on them without communication. This file, and
 * `redis/window.lua` for the scripts, is all that knows how time divides into
 * windows.
 */
export interface Window {
  /** Number of the window. The next one has the next number, or the next but one where a time zone skipped a date. */
  readonly id: number
  /** The first millisecond of the next window, since 1970 by the clock of the store that counts. */
  readonly endsAt: number
}

/**
 * Returns the window that contains a moment.
 *
 * Clock window n of w seconds covers the milliseconds from n·w·1000 up to, not
 * including, (n+1)·w·1000. "Per hour" therefore means per clock hour. This is
 * our choice: a window that begins with a key's first call could not be
 * computed from the time alone. Worked example, length 3600 s:
 * - 10:59:59.999 on 2026-11-20 is 1,795,172,399,999 ms → window 498,658
 * - 11:00:00.000 is 1,795,172,400,000 ms → window 498,659, which ends at
 *   1,795,176,000,000 ms: at 11:20:00, 2,400,000 ms are left
 *
 * Calendar windows are the days or months since January 1970 in a time zone.
 * Worked example, `P1D@Europe/Berlin`: window 20,541 is 2026-03-29, when summer
 * time begins. It lasts 23 hours, from 23:00 UTC of the day before to 22:00 UTC.
 * A date that the time zone skipped, as Pacific/Apia skipped 2011-12-30, has a
 * number, but its window ends as it begins and contains no moment.
 *
 * @param timeMs milliseconds since 1970 by the clock of the store that counts
 */
export function windowAt(timeMs: number, length: WindowLength): Window {
  if (typeof length !== 'number') return calendarOf(length).windowAt(timeMs)
  return windowOf(Math.floor(timeMs / (length * 1000)), length)
}

/** The window with this number. */
export function windowOf(id: number, length: WindowLength): Window {
  return { id, endsAt: windowEnd(id, length) }
}

/** When the window with this number ends. */
export function windowEnd(id: number, length: WindowLength): number {
  if (typeof length !== 'number') return calendarOf(length).beginOf(id + 1)
  return (id + 1) * length * 1000
}

/**
 * The length of the window with this number in seconds: 82,800 for a day of 23
 * hours. Undefined for a calendar window of unknown number.
 */
export function windowSeconds(id: number | undefined, length: WindowLength): number | undefined {
  if (typeof length === 'number') return length
  if (id === undefined) return undefined
  return (windowEnd(id, length) - windowEnd(id - 1, length)) / 1000
}

/**
 * The windows of a length around this moment, as `redis/window.lua` reads them:
 * a clock window's milliseconds, or the number of the calendar window before,
 * and when that one, this one and the next one begin and end.
 */
export function windowWord(timeMs: number, length: WindowLength): string {
  if (typeof length === 'number') return String(length * 1000)
  return calendarOf(length).wordAt(timeMs)
}

/**
 * When a window with `resetMs` left ends, in milliseconds since 1970. Windows
 * end on whole seconds of the store's clock. Clock difference and travel time
 * together stay below half a second, so rounding gives the exact second.
 */
export function resetsAt(nowMs: number, resetMs: number): number {
  return Math.round((nowMs + resetMs) / 1000) * 1000
}

/** The windows of one calendar. Time zones cost microseconds, so it keeps what it has computed. */
interface Calendar {
  windowAt(timeMs: number): Window
  /** When the window with this number begins. */
  beginOf(id: number): number
  wordAt(timeMs: number): string
}

const calendars = new Map<CalendarLength, Calendar>()

function calendarOf(length: CalendarLength): Calendar {
  let calendar = calendars.get(length)
  if (calendar === undefined) {
    calendar = createCalendar(length)
    calendars.set(length, calendar)
  }
  return calendar
}

/** Windows after this year exist only in values that another program wrote. */
const lastYear = 9999

/** Milliseconds since 1970 when that year is over: no window ends so late. */
export const endOfTime = 253_402_300_800_000

function createCalendar(length: CalendarLength): Calendar {
  const { unit, timeZone } = calendarPeriod(length)
  const epoch = new Temporal.PlainDate(1970, 1, 1)
  const idMax = unit === 'day' ? endOfTime / 86_400_000 : (lastYear + 1 - 1970) * 12
  const begins = new Map<number, number>()
  let current = { id: 0, beginsAt: 0, endsAt: 0, word: '' }

  function beginOf(id: number): number {
    if (id >= idMax) return endOfTime
    let beginsAt = begins.get(id)
    if (beginsAt === undefined) {
      const date = epoch.add(unit === 'day' ? { days: id } : { months: id })
      // The first moment of that date where clocks skip midnight; of the next date where they skip the whole date.
      beginsAt = date.toZonedDateTime({ timeZone }).epochMilliseconds
      begins.set(id, beginsAt)
    }
    return beginsAt
  }

  /** @param timeMs before the end of time */
  function idAt(timeMs: number): number {
    const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(timeMs))
    const date = instant.toZonedDateTimeISO(timeZone).toPlainDate()
    let id = epoch.until(date, { largestUnit: unit })[`${unit}s`]
    // Clocks set back over midnight show the earlier date again, but a window that has ended stays ended.
    while (beginOf(id + 1) <= timeMs) id += 1
    return id
  }

  function at(timeMs: number): typeof current {
    if (timeMs < current.beginsAt || timeMs >= current.endsAt) {
      const id = idAt(Math.min(timeMs, endOfTime - 1))
      const beginsAt = beginOf(id)
      const endsAt = beginOf(id + 1)
      const word = `${id - 1}/${beginOf(id - 1)}/${beginsAt}/${endsAt}/${beginOf(id + 2)}`
      current = { id, beginsAt, endsAt, word }
    }
    return current
  }

  return { windowAt: at, beginOf, wordAt: (timeMs) => at(timeMs).word }
}
