import { negate } from '../domain/money.ts'
import type { Booking } from '../stores/accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { MovedAccounts } from './lock-accounts.ts'

/** The codes that classify the entry of one side (ISO 20022 BankTransactionCode, and the bank's own). */
type Codes = Pick<Booking, 'bankCode' | 'proprietaryCode'>

/** Content of both entries, and what each shows of the other side. */
export interface Transfer
  extends Omit<
    Booking,
    'id' | 'accountId' | 'counterpartyName' | 'counterpartyIban' | keyof Codes
  > {
  readonly creditorName: string | null
  readonly creditorIban: string | null
  readonly debit: Codes
  readonly credit: Codes
}

/**
 * Books an amount on the debtor's account, and on the creditor's if it is of this
 * bank. The caller's transaction must have locked the accounts: all balances and
 * entries change together or not at all.
 *
 * @returns the id of the debtor's entry
 */
export async function bookTransfer(
  { randomUUID }: { readonly randomUUID: () => string },
  stores: Stores,
  { debtor, creditor }: MovedAccounts,
  { creditorName, creditorIban, debit, credit, ...shared }: Transfer,
): Promise<string> {
  const id = randomUUID()
  await stores.accounts.book({
    ...shared,
    ...debit,
    id,
    accountId: debtor.id,
    amount: negate(shared.amount),
    counterpartyName: creditorName,
    counterpartyIban: creditorIban,
  })
  if (creditor !== undefined) {
    await stores.accounts.book({
      ...shared,
      ...credit,
      id: randomUUID(),
      accountId: creditor.id,
      counterpartyName: debtor.ownerName,
      counterpartyIban: debtor.iban,
    })
  }
  return id
}
