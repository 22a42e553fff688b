import { RegistryInputInvalid } from './registry-errors.ts'

/** The last moment ISO 8601 writes with four digits of a year, milliseconds since 1970; answers could not tell a later one. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** @throws {RegistryInputInvalid} when that is no moment something can end at */
export function checkExpiry(expiresAt: Date, nowMs: number): void {
  if (!(expiresAt.getTime() > nowMs)) throw new RegistryInputInvalid('expiresAt', 'in the future')
  if (expiresAt.getTime() > lastMs) {
    throw new RegistryInputInvalid('expiresAt', 'before the year 10000')
  }
}

/** When something ends that lasts for so long, or the last moment there is. */
export function expiryAfter(lifeMs: number, nowMs: number): Date {
  return new Date(Math.min(nowMs + lifeMs, lastMs))
}
