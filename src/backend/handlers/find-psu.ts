import { type BankCall, textOf } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/**
 * Finds the PSU named by `PSU-ID`; undefined without the header. The PSU must act for
 * the organisation in `PSU-Corporate-ID`, if the call has this header.
 *
 * @throws {BankError} 401 PSU_CREDENTIALS_INVALID for an unknown or a blocked PSU, without a difference;
 *   401 CORPORATE_ID_INVALID; 403 SERVICE_BLOCKED for a PSU who has closed their accounts to TPPs
 */
export async function findPsu(stores: Stores, call: BankCall): Promise<Psu | undefined> {
  const id = textOf(call.headers['psu-id'])
  const psu = id === undefined ? undefined : await knownPsu(stores, id)
  const corporate = textOf(call.headers['psu-corporate-id'])
  if (corporate === undefined) return psu
  // The country in front is optional.
  const corporateId = corporate.replace(/^IL-/, '')
  const isRight =
    psu === undefined
      ? await stores.psus.hasCorporate(corporateId)
      : psu.corporateId === corporateId
  if (!isRight) {
    throw new BankError('CORPORATE_ID_INVALID', [
      { path: 'PSU-Corporate-ID', text: 'The PSU does not act for this organisation' },
    ])
  }
  return psu
}

/** {@link findPsu} for an id that is not from the header. */
export async function knownPsu(stores: Stores, id: string): Promise<Psu> {
  const psu = await stores.psus.find(id)
  if (psu === undefined || psu.behaviour === 'blocked') {
    throw new BankError('PSU_CREDENTIALS_INVALID', [
      { path: 'PSU-ID', text: 'This PSU-ID cannot be used' },
    ])
  }
  if (psu.behaviour === 'serviceBlocked') {
    throw new BankError('SERVICE_BLOCKED', 'The PSU has closed their accounts to third parties')
  }
  return psu
}
