import { RegistryInputInvalid } from './registry-errors.ts'

/** The last moment that ISO 8601 writes with a four-digit year, in milliseconds since 1970; responses could not express a later one. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** @throws {RegistryInputInvalid} when the date cannot be an expiry: not a date, past, or after the last moment */
export function checkExpiry(expiresAt: Date, nowMs: number): void {
  if (!(expiresAt.getTime() > nowMs)) throw new RegistryInputInvalid('expiresAt', 'in the future')
  if (expiresAt.getTime() > lastMs) {
    throw new RegistryInputInvalid('expiresAt', 'before the year 10000')
  }
}

/** The end of a life of `lifeMs` from now, or the last possible moment. */
export function expiryAfter(lifeMs: number, nowMs: number): Date {
  return new Date(Math.min(nowMs + lifeMs, lastMs))
}
