/** A calendar day of a time zone, from midnight to midnight. Milliseconds since 1970. */
export interface Day {
  /** `2026-11-24`. */
  readonly name: string
  readonly from: number
  readonly to: number
}

const hourMs = 3_600_000
/** No time zone is further from UTC. */
const hoursFromUtcMax = 15

/** The days that a report may have. */
export const daysMax = 800

/**
 * The days of a time zone. A day on which the clock changes has 23 or 25 hours.
 * Figures are stored by hours of UTC, so midnight must be the start of one.
 *
 * @param first `2026-10-01`
 * @param last the last day, included
 * @throws {RangeError} no such day, more than 800 days, an unknown time zone,
 * or one whose hours do not begin with those of UTC
 */
export function daysBetween(first: string, last: string, timeZone: string): Day[] {
  const begin = Date.parse(`${first}T00:00:00Z`)
  const length = (Date.parse(`${last}T00:00:00Z`) - begin) / 86_400_000 + 1
  if (!(length >= 1)) throw new RangeError('the first day is after the last, or no such day')
  if (length > daysMax) throw new RangeError(`more than ${daysMax} days`)
  const names = dayNames(timeZone)
  const days: Day[] = []
  let start = begin - hoursFromUtcMax * hourMs
  while (names(start) < first) start += hourMs
  while (names(start) <= last) {
    let end = start + 22 * hourMs
    while (names(end) === names(start)) end += hourMs
    days.push({ name: names(start), from: start, to: end })
    start = end
  }
  return days
}

/** The day of a moment in a time zone. @throws {RangeError} as {@link daysBetween} */
export function dayOf(ms: number, timeZone: string): string {
  return dayNames(timeZone)(ms)
}

/** `2026-Q4`. */
export function quarterOf({ name }: Pick<Day, 'name'>): string {
  const [year = '', month = ''] = name.split('-')
  return `${year}-Q${Math.ceil(Number(month) / 3)}`
}

/** The first day of a day's quarter. */
export function startOfQuarter(day: string): string {
  const [year = '', month = ''] = day.split('-')
  const first = Math.floor((Number(month) - 1) / 3) * 3 + 1
  return `${year}-${String(first).padStart(2, '0')}-01`
}

function dayNames(timeZone: string): (ms: number) => string {
  const minute = new Intl.DateTimeFormat('en', { timeZone, minute: 'numeric' })
  // Not of today: some time zones have had others.
  if (minute.format(Date.UTC(2026, 0)) !== '0') {
    throw new RangeError(`hours of ${timeZone} do not begin with those of UTC`)
  }
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (ms) => format.format(ms)
}
