/**
 * Booked entries of one account: those with numbers after `after`, up to and
 * including `last`. Numbers have no gaps, so a page is a range too and always
 * takes the same time. Empty if `last` is not above `after`.
 */
export interface EntryRange {
  readonly after: number
  readonly last: number
}

/** `limit` entries after skipping `offset`. */
export interface Piece {
  readonly offset: number
  readonly limit: number
}

/** A range of days, both ends included. */
export interface Days {
  readonly from: string
  readonly to: string
}

/** Number of entries in a range. */
export function countOf({ after, last }: EntryRange): number {
  return Math.max(0, last - after)
}

/**
 * The range of one page, newest first.
 * Example: of the entries 11 to 50, twenty after skipping twenty are 11 to 30.
 */
export function pieceOf({ after, last }: EntryRange, { offset, limit }: Piece): EntryRange {
  const newest = last - offset
  return { after: Math.max(after, newest - limit), last: newest }
}
