import { consentAt } from '../domain/consent.ts'
import { mandateAt } from '../domain/mandate.ts'
import type { Parent } from '../stores/authorisations.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import { promised } from '../stores/promised.ts'
import { moveMandate } from './move-mandate.ts'

/** When a resource is locked, and whose calendar days count. */
export interface LockTime {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly timeZone: string
}

/**
 * Locks a resource until the transaction ends, before it or its authorisations
 * are changed, and stores that it has ended if it has.
 *
 * @returns the TPP that it belongs to
 */
export async function lockParent(
  stores: Stores,
  { kind, id }: Parent,
  time: LockTime,
): Promise<{ readonly applicationId: string }> {
  switch (kind) {
    case 'payment':
      return promised(await stores.payments.lock(id))
    case 'consent':
      return promised(await lockConsent(stores, id, time))
    case 'mandate':
      return promised(await lockMandate(stores, id, time))
  }
}

/** {@link lockParent} of a consent: as it is now, or undefined for an unknown id. */
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

/** {@link lockParent} of a mandate: as it is now, or undefined for an unknown id. */
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
