import { InvalidArgumentError } from 'commander'

export interface JsonOption {
  readonly json?: boolean
}

/** Options of a list that may be long. */
export interface PageOptions extends JsonOption {
  readonly limit: number
  readonly after?: string
}

/** Reads `--limit`. @throws {InvalidArgumentError} */
export function parseLimit(text: string): number {
  return parseWhole(text, 1, 10_000)
}

/** Reads a whole number. @throws {InvalidArgumentError} naming what is allowed */
export function parseWhole(text: string, min: number, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
}

/** Reads a moment: `2027-01-31` (00:00 UTC) or `2027-01-31T12:00:00Z`. @throws {InvalidArgumentError} */
export function parseMoment(text: string): Date {
  const isMoment =
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const moment = new Date(text)
  // Date lets 31 February roll into March.
  const isReal =
    isMoment &&
    !Number.isNaN(moment.getTime()) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  if (isReal) return moment
  throw new InvalidArgumentError(
    'It must be a date or a time with its zone (e.g. 2027-01-31T12:00:00Z).',
  )
}
