/** The members of a booked entry that its reference contains. */
export interface ReferencedEntry {
  /** Booking day, `YYYY-MM-DD`. */
  readonly day: string
  readonly sequence: number
}

/** The reference of a booked entry within its account, the year of its booking and its number: `2026-000318`. */
export function entryReferenceOf({ day, sequence }: ReferencedEntry): string {
  return `${day.slice(0, 4)}-${String(sequence).padStart(6, '0')}`
}

/** The number in a reference; undefined for a text that is not a reference. */
export function sequenceOf(reference: string): number | undefined {
  const [, digits] = /^\d{4}-(\d{6,9})$/.exec(reference) ?? []
  return digits === undefined ? undefined : Number(digits)
}
