import { type BankCall, textOf } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { BankWork } from '../processes/bank-work.ts'
import { lockConsent } from '../processes/lock-resource.ts'
import { checkUsable, unknownConsent } from './consents.ts'

/**
 * Checks the session consent of a payment, if the call names one: it belongs to
 * the TPP and is valid. Locks it until the transaction ends.
 *
 * @throws {BankError} CONSENT_UNKNOWN for no consent of the TPP; CONSENT_INVALID, CONSENT_EXPIRED
 */
export async function checkSession(work: BankWork, call: BankCall): Promise<void> {
  const id = textOf(call.headers['consent-id'])
  if (id === undefined) return
  const consent = isUuid(id) ? await lockConsent(work, id) : undefined
  if (consent?.applicationId !== call.applicationId) {
    throw new BankError('CONSENT_UNKNOWN', [{ path: 'Consent-ID', text: unknownConsent }])
  }
  checkUsable(call, consent)
}
