import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import { covers, findDebtorAccount } from '../processes/transfer-accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'

/**
 * Checks the debtor's account and its funds before a payment is created, for a
 * known PSU. The rules that need only the request come before
 * (`payment-rules.ts`). The first broken rule decides: the account exists, it is
 * not the creditor's, it is enabled, it is a current account, and last, only if
 * the TPP prefers a rejection, it has the funds.
 *
 * @throws {BankError} PRODUCT_INVALID when no account was named and the PSU has none in the currency;
 *   400 FORMAT_ERROR for an unknown account or the creditor's own; SERVICE_BLOCKED; 400 SERVICE_INVALID;
 *   PAYMENT_FAILED without funds
 */
export async function checkDebtor(
  stores: Stores,
  call: BankCall,
  psu: Psu,
  { debtorAccount, creditorAccount, instructedAmount }: PaymentInitiation,
): Promise<void> {
  const { currency, amount } = instructedAmount
  const account = await findDebtorAccount(stores, psu.id, debtorAccount, currency)
  if (account === undefined && debtorAccount === undefined) {
    throw new BankError('PRODUCT_INVALID', `The PSU has no account in ${currency} to pay from`)
  }
  if (account === undefined) {
    const text = `The PSU has no such account in ${currency}; the bank does not convert currencies`
    throw formatError('debtorAccount', text)
  }
  if (account.iban === creditorAccount.iban) {
    throw formatError('creditorAccount', 'Must differ from the account of the debtor')
  }
  if (account.status !== 'enabled') {
    const state = account.status === 'blocked' ? 'blocked' : 'closed'
    throw new BankError('SERVICE_BLOCKED', `The account of the debtor is ${state}`)
  }
  if (account.cashAccountType !== 'CACC') {
    const text = 'Payments are debited to current accounts only'
    throw new BankError('SERVICE_INVALID', [{ path: 'debtorAccount', text }], { status: 400 })
  }
  if (prefersRejection(call) && !covers(account, amount)) {
    throw new BankError('PAYMENT_FAILED', 'Insufficient funds')
  }
}

/** Whether the bank is to reject a payment without funds instead of retrying it. */
export function prefersRejection({ headers }: BankCall): boolean {
  return textOf(headers['tpp-rejection-nofunds-preferred'])?.toLowerCase() === 'true'
}
