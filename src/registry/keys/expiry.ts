import { RegistryInputInvalid } from '../registry-errors.ts'

/**
 * The last moment that ISO 8601 writes with a four-digit year, in milliseconds
 * since 1970; responses could not express a later one.
 */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The longest life of a key in days; 0: it may live forever. */
export type DaysMax = number

const dayMs = 86_400_000

/**
 * The end of a new key's life.
 *
 * @param given what the developer asked for; undefined: as late as permitted
 * @returns null: never
 * @throws {RegistryInputInvalid} when the date cannot be an expiry: not a date, past, or after the last moment
 */
export function expiryOf(given: Date | undefined, nowMs: number, daysMax: DaysMax): Date | null {
  const latest = daysMax === 0 ? null : expiryAfter(daysMax * dayMs, nowMs)
  if (given === undefined) return latest
  checkExpiry(given, nowMs)
  if (latest !== null && given > latest) {
    throw new RegistryInputInvalid('expiresAt', `at most ${daysMax} days from now`)
  }
  return given
}

/** The end of the life of a key that replaces another: as long as the old one's, but no longer than permitted. */
export function expiryOfNext(
  old: { readonly createdAt: Date; readonly expiresAt: Date | null },
  nowMs: number,
  daysMax: DaysMax,
): Date | null {
  const latest = expiryOf(undefined, nowMs, daysMax)
  if (old.expiresAt === null) return latest
  const end = expiryAfter(old.expiresAt.getTime() - old.createdAt.getTime(), nowMs)
  return latest !== null && end > latest ? latest : end
}

/**
 * @param field where the date was given
 * @throws {RegistryInputInvalid} when the date cannot be an expiry: not a date, past, or after the last moment
 */
export function checkExpiry(expiresAt: Date, nowMs: number, field = 'expiresAt'): void {
  if (!(expiresAt.getTime() > nowMs)) throw new RegistryInputInvalid(field, 'in the future')
  if (expiresAt.getTime() > lastMs) throw new RegistryInputInvalid(field, 'before the year 10000')
}

/** The end of a life of `lifeMs` from now, or the last possible moment. */
function expiryAfter(lifeMs: number, nowMs: number): Date {
  return new Date(Math.min(nowMs + lifeMs, lastMs))
}
