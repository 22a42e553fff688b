import { type BankCall, textOf } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/**
 * Finds the person a call names in `PSU-ID`; undefined when it names none. The
 * organisation it names in `PSU-Corporate-ID` must be one that the person acts for.
 *
 * @throws {BankError} 401 PSU_CREDENTIALS_INVALID for an unknown or blocked one: a TPP cannot tell which;
 *   401 CORPORATE_ID_INVALID; 403 SERVICE_BLOCKED for one that has shut its accounts to TPPs
 */
export async function findPsu(stores: Stores, call: BankCall): Promise<Psu | undefined> {
  const id = textOf(call.headers['psu-id'])
  const psu = id === undefined ? undefined : await knownPsu(stores, id)
  const corporate = textOf(call.headers['psu-corporate-id'])
  if (corporate === undefined) return psu
  // With or without the country in front.
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

/** Like {@link findPsu} for an id from elsewhere. */
export async function knownPsu(stores: Stores, id: string): Promise<Psu> {
  const psu = await stores.psus.find(id)
  if (psu === undefined || psu.behaviour === 'blocked') {
    throw new BankError('PSU_CREDENTIALS_INVALID', [
      { path: 'PSU-ID', text: 'This PSU-ID cannot be used' },
    ])
  }
  if (psu.behaviour === 'serviceBlocked') {
    throw new BankError('SERVICE_BLOCKED', 'The PSU has shut its accounts to third parties')
  }
  return psu
}
