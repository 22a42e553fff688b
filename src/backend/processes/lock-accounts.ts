import type { AccountReference } from '../domain/access.ts'
import type { Account } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { promised } from '../stores/promised.ts'

/** The accounts of this bank between which money moves. */
export interface MovedAccounts {
  readonly debtor: Account
  /** Undefined: of another bank. */
  readonly creditor: Account | undefined
}

/** Holds the accounts between which money of a currency moves until the transaction ends. */
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
  const creditors = await stores.accounts.byIban(creditorAccount?.iban ?? '')
  const creditorId = creditors.find((account) => account.currency === currency)?.id
  const locked = await stores.accounts.lock(
    creditorId === undefined ? [debtorAccountId] : [debtorAccountId, creditorId],
  )
  return {
    debtor: promised(locked.find((account) => account.id === debtorAccountId)),
    creditor: locked.find((account) => account.id === creditorId),
  }
}
