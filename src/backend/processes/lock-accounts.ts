import { assertFound } from '../assert-found.ts'
import type { AccountReference } from '../domain/access.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { findCreditorAccount } from './transfer-accounts.ts'

/** The accounts of a transfer at this bank. */
export interface MovedAccounts {
  readonly debtor: Account
  /** Undefined: at another bank. */
  readonly creditor: Account | undefined
}

/**
 * Locks the accounts of a transfer in a currency until the transaction ends. It
 * locks both in one statement, in the order of their ids, so that two transfers
 * between the same accounts cannot deadlock. Lock a payment, mandate or
 * collection first.
 *
 * @throws when the debtor's account does not exist
 */
export async function lockAccounts(
  stores: Stores,
  {
    debtorAccountId,
    creditorAccount,
    currency,
  }: {
    readonly debtorAccountId: string
    readonly creditorAccount: AccountReference | undefined
    readonly currency: string
  },
): Promise<MovedAccounts> {
  const found = await findCreditorAccount(stores, creditorAccount, currency)
  const ids = found === undefined ? [debtorAccountId] : [debtorAccountId, found.id]
  const locked = await stores.accounts.lock(ids)
  return {
    debtor: assertFound(locked.find(({ id }) => id === debtorAccountId)),
    creditor: locked.find(({ id }) => id === found?.id),
  }
}
