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
