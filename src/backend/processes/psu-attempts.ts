import type { Bank } from '../bank.ts'
import { afterFailure, blockedUntil } from '../domain/psu-block.ts'
import type { Stores } from '../stores/bank-stores.ts'

/** Who authenticates, and for which TPP. */
interface Attempt {
  readonly bank: Pick<Bank, 'sandbox'>
  readonly stores: Stores
  readonly psuId: string
  readonly applicationId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The attempts of a PSU to authenticate, locked until the transaction ends. */
export interface PsuAttempts {
  /** The end of the block, in milliseconds since 1970; undefined: the PSU may try. */
  readonly blockedUntil: number | undefined
  /** Counts a wrong password or one-time password. @returns the end of the block that it begins, if it does */
  fail(): Promise<number | undefined>
  /** Forgets the failures: the PSU has given password and one-time password. */
  succeed(): Promise<void>
}

/**
 * Locks the count of a PSU's failed attempts before a secret is checked. The
 * parent of the authorisation must be locked already; all code takes the locks in this order.
 *
 * In a sandbox every application has its own count. Its customers are public, so
 * one developer could otherwise block them for all others.
 */
export async function lockAttempts(attempt: Attempt): Promise<PsuAttempts> {
  const { bank, stores, psuId, now } = attempt
  const applicationId = bank.sandbox === undefined ? '' : attempt.applicationId
  const found = await stores.psuAttempts.lock(psuId, applicationId)
  return {
    blockedUntil: blockedUntil(found, now),
    async fail() {
      const counted = afterFailure(found, now)
      await stores.psuAttempts.update(psuId, applicationId, counted)
      return blockedUntil(counted, now)
    },
    succeed: () => stores.psuAttempts.update(psuId, applicationId, { ...found, failures: 0 }),
  }
}
