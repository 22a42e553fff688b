import type { AccountReference } from '../domain/access.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'

/**
 * Finds the account a payment of a currency is debited to: the one named, or
 * without a name the person's first current account in that currency.
 *
 * @returns undefined when the person has no such account
 */
export async function findDebtorAccount(
  stores: Stores,
  psuId: string,
  reference: AccountReference | undefined,
  currency: string,
): Promise<Account | undefined> {
  const accounts = await stores.accounts.ofPsu(psuId)
  const inCurrency = accounts.filter((account) => account.currency === currency)
  if (reference === undefined) {
    return inCurrency.find(
      ({ cashAccountType, status }) => cashAccountType === 'CACC' && status === 'enabled',
    )
  }
  // A reference to another sub-account of the IBAN is a contradiction, not a choice.
  if (reference.currency !== undefined && reference.currency !== currency) return undefined
  return inCurrency.find(({ iban }) => iban === reference.iban)
}
