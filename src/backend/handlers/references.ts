import type { BankMessage } from '../bank-error.ts'
import type { AccountReference } from '../domain/access.ts'
import { isIban } from '../domain/identifiers.ts'
import type { Account } from '../stores/accounts.ts'

/** Errors in an account reference beyond its schema: wrong check digits of an IBAN. */
export function checkReference({ iban }: AccountReference, path: string): BankMessage[] {
  return iban === undefined || isIban(iban)
    ? []
    : [{ path: `${path}.iban`, text: 'Length or check digits of the IBAN are wrong' }]
}

/** The account reference in answers; the currency distinguishes sub-accounts of an IBAN. */
export function accountReference({ iban, currency }: Account): AccountReference {
  return { iban, currency }
}
