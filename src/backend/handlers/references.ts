import type { BankMessage } from '../bank-error.ts'
import type { AccountReference } from '../domain/access.ts'
import { isIban } from '../domain/identifiers.ts'
import type { Account } from '../stores/accounts.ts'

/** What is wrong with a reference to an account beyond its schema: an IBAN has check digits. */
export function checkReference({ iban }: AccountReference, path: string): BankMessage[] {
  return iban === undefined || isIban(iban)
    ? []
    : [{ path: `${path}.iban`, text: 'Length or check digits of the IBAN are wrong' }]
}

/** How answers name an account; the currency tells sub-accounts of an IBAN apart. */
export function accountReference({ iban, currency }: Account): AccountReference {
  return { iban, currency }
}
