import type { Bank } from '../bank.ts'
import { afterFailure, blockedUntil } from '../domain/psu-block.ts'
import type { LockedAuthorisation } from './lock-authorisation.ts'

/** The attempts of a PSU to authenticate, locked until the transaction ends. */
export interface PsuAttempts {
  /** The end of the block, in milliseconds since 1970; undefined: the PSU may try. */
  readonly blockedUntil: number | undefined
  /** Counts a wrong password or one-time password. @returns the end of the block that this failure begins, if any */
  fail(): Promise<number | undefined>
  /** Resets the count: the PSU has given password and one-time password. */
  succeed(): Promise<void>
}

/**
 * Locks the count of a PSU's failed attempts before a secret is checked. This
 * lock always comes after that of the authorisation.
 *
 * In a sandbox every application has its own count. The customers are public, so
 * one developer could otherwise block them for all others.
 */
export async function lockAttempts(
  { bank, stores, parent, now }: LockedAuthorisation & { readonly bank: Pick<Bank, 'sandbox'> },
  psuId: string,
): Promise<PsuAttempts> {
  const applicationId = bank.sandbox === undefined ? '' : parent.resource.applicationId
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
