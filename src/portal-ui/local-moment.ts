/** Days for which more calls are wanted and granted unless people choose otherwise. */
export const usualDays = 30

/** @param text of a field for local time @returns ISO 8601 in UTC; an invalid text unchanged, which the portal refuses */
export function instantOf(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}

/** @param instant ISO 8601 @returns what a field for local time shows; empty for an invalid text */
export function localOf(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** @returns what a field for local time shows for the last minute of the day after `days` days */
export function inDays(days: number, now = new Date()): string {
  return endOfDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days))
}

/** @returns what a field for local time shows for the last minute of the quarter */
export function endOfQuarter(now = new Date()): string {
  const nextQuarter = Math.floor(now.getMonth() / 3) * 3 + 3
  return endOfDay(new Date(now.getFullYear(), nextQuarter, 0))
}

function endOfDay(day: Date): string {
  return localOf(new Date(day.getFullYear(), day.getMonth(), day.getDate(), 23, 59).toISOString())
}

/** @returns what a field for a day shows for the day after `days` days */
export function dayIn(days: number, now = new Date()): string {
  return inDays(days, now).slice(0, 10)
}

/** @param day text of a field for a day @returns the last second of the day, as {@link instantOf} does */
export function endOfDayIn(day: string): string {
  return instantOf(`${day}T23:59:59`)
}
