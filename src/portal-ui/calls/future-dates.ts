const date = /^(\d{4})-(\d{2}-\d{2})$/
/** What a body says for "without end". */
const endless = '9999'

/**
 * Keeps an example usable when its days have passed: they are moved on by
 * whole years, all of one example by as many, until none lies before today.
 * `2026-12-10` and `2028-12-10` on 2027-03-01 become `2027-12-10` and `2029-12-10`.
 *
 * @param value a JSON value; only texts that are a date as a whole count
 * @param today `YYYY-MM-DD`
 */
export function withFutureDates(value: unknown, today: string): unknown {
  const earliest = datesIn(value).toSorted()[0]
  if (earliest === undefined || earliest >= today) return value
  const years = Number(today.slice(0, 4)) - Number(earliest.slice(0, 4))
  const isEnough = later(earliest, years) >= today
  return moved(value, isEnough ? years : years + 1)
}

function datesIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return date.test(value) && !value.startsWith(endless) ? [value] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(datesIn)
}

function moved(value: unknown, years: number): unknown {
  if (typeof value === 'string') return later(value, years)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => moved(each, years))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, moved(member, years)]),
  )
}

function later(text: string, years: number): string {
  const [, year, day] = date.exec(text) ?? []
  if (year === undefined || year === endless) return text
  // The year it comes to may have no 29th of February.
  return `${Number(year) + years}-${day === '02-29' ? '02-28' : day}`
}
