/** Minutes the clocks of a zone are ahead of UTC at an instant (milliseconds since 1970). */
function offsetMinutes(instant: number, timeZone: string): number {
  const parts = formatter(timeZone).formatToParts(instant)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  )
  return Math.round((local - Math.floor(instant / 1000) * 1000) / 60_000)
}

/** A cache, because creating a formatter costs far more than using one. A bank has one zone. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(timeZone: string): Intl.DateTimeFormat {
  let found = formatters.get(timeZone)
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(timeZone, found)
  }
  return found
}

/** The calendar day `YYYY-MM-DD` in the zone of the bank at an instant (milliseconds since 1970). */
export function onDay(instant: number, timeZone: string): string {
  return new Date(instant + offsetMinutes(instant, timeZone) * 60_000).toISOString().slice(0, 10)
}

/**
 * The instant at which clocks in the zone show a full hour of a day. If summer time
 * skips that hour, the instant at which they show the next one.
 */
export function timeOnDay(day: string, hour: number, timeZone: string): number {
  const asUtc = Date.parse(`${day}T${String(hour).padStart(2, '0')}:00:00Z`)
  const guess = asUtc - offsetMinutes(asUtc, timeZone) * 60_000
  // The offset at the guess is correct unless the clocks change in between.
  return asUtc - offsetMinutes(guess, timeZone) * 60_000
}

/**
 * Reads a date and time with its offset (RFC 3339, 5.6). A leap second reads as
 * the second before it, as clocks here cannot represent it.
 *
 * @returns milliseconds since 1970, undefined for any other notation (such as `+03`)
 */
export function instantOf(text: string): number | undefined {
  const instant = Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59'))
  return Number.isNaN(instant) ? undefined : instant
}

/** The day `days` later (negative: earlier): `addDays('2026-02-27', 2)` is `'2026-03-01'`. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The same day `months` later (negative: earlier); the last day of the month if it lacks that day. */
export function addMonths(day: string, months: number): string {
  const date = new Date(day)
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(wanted, last))
  return date.toISOString().slice(0, 10)
}
