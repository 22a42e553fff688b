import type { BankCall } from '../bank-call.ts'
import { textOf } from '../bank-call.ts'
import { BankError } from '../bank-error.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/**
 * Finds the person a call names in `PSU-ID`; undefined when it names none.
 *
 * @throws {BankError} 401 PSU_CREDENTIALS_INVALID for an unknown or blocked one: a TPP cannot tell which
 */
export async function findPsu(stores: Stores, call: BankCall): Promise<Psu | undefined> {
  const id = textOf(call.headers['psu-id'])
  return id === undefined ? undefined : knownPsu(stores, id)
}

/** Like {@link findPsu} for an id from elsewhere. */
export async function knownPsu(stores: Stores, id: string): Promise<Psu> {
  const psu = await stores.psus.find(id)
  if (psu === undefined || psu.behaviour === 'blocked') {
    throw new BankError('PSU_CREDENTIALS_INVALID', [
      { path: 'PSU-ID', text: 'This PSU-ID cannot be used' },
    ])
  }
  return psu
}
