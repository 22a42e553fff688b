import { consentAt } from '../domain/consent.ts'
import { mandateAt } from '../domain/mandate.ts'
import type { Consent } from '../stores/consents.ts'
import type { Mandate } from '../stores/mandates.ts'
import type { BankWork } from './bank-work.ts'
import { moveMandate } from './move-mandate.ts'

/**
 * Locks a consent until the transaction ends. If its time is over, stores that
 * it has expired.
 *
 * @returns the consent as it is now; undefined for an unknown id
 */
export async function lockConsent(
  { bank, stores, now }: BankWork,
  id: string,
): Promise<Consent | undefined> {
  const stored = await stores.consents.lock(id)
  if (stored === undefined) return undefined
  const consent = consentAt(stored, now, bank.timeZone)
  const { status, lastActionDay } = consent
  if (status !== stored.status) await stores.consents.update(id, { status, lastActionDay })
  return consent
}

/** {@link lockConsent} for a mandate; the end of a mandate also ends its open authorisations. */
export async function lockMandate(
  { bank, stores, now }: BankWork,
  id: string,
): Promise<Mandate | undefined> {
  const stored = await stores.mandates.lock(id)
  if (stored === undefined) return undefined
  const mandate = mandateAt(stored, now, bank.timeZone)
  if (mandate.status !== stored.status) {
    await moveMandate(stores, stored, 'expire', mandate.lastActionDay)
  }
  return mandate
}
