import type { AccountReference } from '../domain/access.ts'
import { compare, sum } from '../domain/money.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'

/** Whether payments of a currency can be debited to an account. */
export function isDebitable(account: Account, currency: string): boolean {
  return (
    account.currency === currency &&
    account.cashAccountType === 'CACC' &&
    account.status === 'enabled'
  )
}

/**
 * Whether the balance and the credit limit of an enabled account cover an
 * amount in its currency. No account covers nothing.
 *
 * @param amount a decimal number: `1999.50`
 */
export function covers(account: Account | undefined, amount: string): boolean {
  return (
    account?.status === 'enabled' &&
    compare(sum([account.booked, account.creditLimit]), amount) >= 0
  )
}

/**
 * Finds the account that a payment debits: the named one, otherwise the first
 * debitable account of the PSU, in the order in which the bank lists them.
 *
 * @returns undefined when the PSU has no such account
 */
export async function findDebtorAccount(
  stores: Stores,
  psuId: string,
  reference: AccountReference | undefined,
  currency: string,
): Promise<Account | undefined> {
  const accounts = await stores.accounts.ofPsu(psuId)
  if (reference === undefined) return accounts.find((account) => isDebitable(account, currency))
  // A reference to another sub-account of the IBAN is a contradiction, not a choice.
  if (reference.currency !== undefined && reference.currency !== currency) return undefined
  return accounts.find(
    (account) => account.currency === currency && account.iban === reference.iban,
  )
}

/** Finds the account of this bank that a transfer credits; undefined when the creditor is at another bank. */
export async function findCreditorAccount(
  stores: Stores,
  reference: AccountReference | undefined,
  currency: string,
): Promise<Account | undefined> {
  if (reference?.iban === undefined) return undefined
  const accounts = await stores.accounts.byIban(reference.iban)
  return accounts.find((account) => account.currency === currency)
}
