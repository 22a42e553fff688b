import type { Json } from '../../catalogue/catalogue.ts'
import { isJsonArray, isJsonObject } from '../../catalogue/json.ts'

const dayMs = 86_400_000
/** A date alone, at the start of a time, or in a link; `9999-12-31` means "without end" and does not match. */
const days = /(?<![0-9A-Za-z-])20[0-9]{2}-[0-9]{2}-[0-9]{2}(?![0-9])/g

/**
 * Copies a document and shifts every date in its examples by the days between
 * `from` and `to`. With `2026-11-20` and `2026-11-25`, the example `2027-05-31`
 * becomes `2027-06-05`.
 *
 * @param from "today" in the examples, `YYYY-MM-DD`
 * @param to today, `YYYY-MM-DD`
 */
export function withMovedDays(document: Json, from: string, to: string): Json {
  const movedMs = Date.parse(to) - Date.parse(from)
  return copied(document, false)

  function copied(value: Json, isExample: boolean): Json {
    if (typeof value === 'string') return isExample ? value.replaceAll(days, moved) : value
    if (isJsonArray(value)) return value.map((item) => copied(item, isExample))
    if (!isJsonObject(value)) return value
    const members = Object.entries(value).map(([name, member = null]) => {
      const isInside = isExample || name === 'example' || name === 'examples'
      return [name, copied(member, isInside)]
    })
    return Object.fromEntries(members)
  }

  function moved(day: string): string {
    const at = Date.parse(day)
    // An identifier may look like a date: 2026-13-45 is not one.
    return Number.isNaN(at) ? day : utcDay(at + movedMs)
  }
}

/** The UTC date of a time in milliseconds since 1970, `YYYY-MM-DD`. */
export function utcDay(ms: number): string {
  return new Date(Math.floor(ms / dayMs) * dayMs).toISOString().slice(0, 10)
}
