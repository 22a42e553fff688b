import type { BankMessage } from '../bank-error.ts'
import type { AccountReference } from '../domain/access.ts'
import { isIban } from '../domain/identifiers.ts'

/** What is wrong with a reference to an account beyond its schema: an IBAN has check digits. */
export function checkReference({ iban }: AccountReference, path: string): BankMessage[] {
  return iban === undefined || isIban(iban)
    ? []
    : [{ path: `${path}.iban`, text: 'Length or check digits of the IBAN are wrong' }]
}
