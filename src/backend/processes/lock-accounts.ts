import { assertFound } from '../assert-found.ts'
import type { AccountReference } from '../domain/access.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'

/** The accounts of a transfer, as far as they are of this bank. */
export interface MovedAccounts {
  readonly debtor: Account
  /** Undefined: at another bank. */
  readonly creditor: Account | undefined
}

/** Finds the account to credit; undefined: at another bank. */
export async function findCreditorAccount(
  stores: Stores,
  reference: AccountReference | undefined,
  currency: string,
): Promise<Account | undefined> {
  const accounts = await stores.accounts.byIban(reference?.iban ?? '')
  return accounts.find((account) => account.currency === currency)
}

/** Locks the accounts of a transfer in a currency until the transaction ends. */
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
  const creditorId = (await findCreditorAccount(stores, creditorAccount, currency))?.id
  const locked = await stores.accounts.lock(
    creditorId === undefined ? [debtorAccountId] : [debtorAccountId, creditorId],
  )
  return {
    debtor: assertFound(locked.find((account) => account.id === debtorAccountId)),
    creditor: locked.find((account) => account.id === creditorId),
  }
}
