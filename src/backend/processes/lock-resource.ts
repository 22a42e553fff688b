import { consentAt } from '../domain/consent.ts'
import { mandateAt } from '../domain/mandate.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import { moveMandate } from './move-mandate.ts'

/** When a resource is locked, and the zone whose calendar days count. */
export interface LockTime {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly timeZone: string
}

/**
 * Locks a consent until the transaction ends. If its time is over, stores that
 * it has expired.
 *
 * @returns the consent as it is now; undefined for an unknown id
 */
export async function lockConsent(
  stores: Stores,
  id: string,
  { now, timeZone }: LockTime,
): Promise<Consent | undefined> {
  const stored = await stores.consents.lock(id)
  if (stored === undefined) return undefined
  const consent = consentAt(stored, now, timeZone)
  const { status, lastActionDay } = consent
  if (status !== stored.status) await stores.consents.update(id, { status, lastActionDay })
  return consent
}

/** {@link lockConsent} for a mandate; the end of a mandate also ends its open authorisations. */
export async function lockMandate(
  stores: Stores,
  id: string,
  { now, timeZone }: LockTime,
): Promise<Mandate | undefined> {
  const stored = await stores.mandates.lock(id)
  if (stored === undefined) return undefined
  const mandate = mandateAt(stored, now, timeZone)
  if (mandate.status !== stored.status) {
    await moveMandate(stores, stored, 'expire', mandate.lastActionDay)
  }
  return mandate
}
