import { InvalidArgumentError } from 'commander'
import { UsageError } from '../command-error.ts'

export interface JsonOption {
  readonly json?: boolean
}

/** Options of a list that may be long. */
export interface PageOptions extends JsonOption {
  readonly limit: number
  readonly after?: string
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
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

/** What {@link parseMoment} takes, for the help of an option. */
export const momentForms = 'e.g. +30d, 2027-01-31, 2027-01-31T12:00:00Z'
/** What {@link parseEarlierMoment} takes. */
export const earlierForms = 'e.g. -24h, 2026-11-01, 2026-11-01T12:00:00Z'

/**
 * Reads a moment of the future: `2027-01-31` (00:00 UTC), `2027-01-31T12:00:00Z`, or a time
 * from now in minutes, hours, days or weeks: `+45m`, `+12h`, `+30d`, `+2w`.
 *
 * @throws {InvalidArgumentError}
 */
export function parseMoment(text: string, now: number): Date {
  const moment = momentOf(text, now, '+')
  if (moment === undefined) {
    throw new InvalidArgumentError(
      'It must be a time from now (+45m, +12h, +30d, +2w), a date (2027-01-31) or a time with its zone (2027-01-31T12:00:00Z).',
    )
  }
  if (moment.getTime() <= now) throw new InvalidArgumentError('It must be in the future.')
  return moment
}

/**
 * Reads a moment as {@link parseMoment} does, but before now (`-24h`), and any date.
 *
 * @throws {InvalidArgumentError}
 */
export function parseEarlierMoment(text: string, now: number): Date {
  const moment = momentOf(text, now, '-')
  if (moment !== undefined) return moment
  throw new InvalidArgumentError(
    'It must be a time before now (-45m, -24h, -7d, -2w), a date (2026-11-01) or a time with its zone (2026-11-01T12:00:00Z).',
  )
}

/** Reads a day: `2026-10-01`. @throws {InvalidArgumentError} */
export function parseDay(text: string): string {
  if (text.length === 10 && momentOf(text, 0, '-') !== undefined) return text
  throw new InvalidArgumentError('It must be a date (2026-10-01).')
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

function momentOf(text: string, now: number, sign: '+' | '-'): Date | undefined {
  const relative = /^[+-](?<count>\d{1,4})(?<unit>[mhdw])$/.exec(text)?.groups
  if (relative !== undefined && text.startsWith(sign)) {
    // The pattern allows only these units.
    const unit = relative['unit'] as keyof typeof unitMs
    return new Date(now + Number(`${sign}${relative['count']}`) * unitMs[unit])
  }
  const isMoment =
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const moment = new Date(text)
  // Date lets 31 February roll into March.
  const isReal =
    isMoment &&
    !Number.isNaN(moment.getTime()) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  return isReal ? moment : undefined
}

/** Options of a command that can also print its result as CSV. */
export interface ReportOptions extends JsonOption {
  readonly csv?: boolean
}

/** @throws {UsageError} when both formats are asked for */
export function chooseOneFormat(csv: boolean | undefined, json: boolean | undefined): void {
  if (csv === true && json === true) throw new UsageError('choose one of --csv and --json')
}
