import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { Clockwork } from '../processes/clockwork.ts'
import { findDebtorAccount, isCovering } from '../processes/debtor.ts'
import { findCreditorAccount } from '../processes/lock-accounts.ts'
import type { Stores } from '../stores/bank-stores.ts'
import { promised } from '../stores/promised.ts'
import type { Psu } from '../stores/psus.ts'
import { ended } from './consents.ts'

/** A session consent must be one of the TPP's own, and valid. */
export async function checkSession(
  stores: Stores,
  call: BankCall,
  clockwork: Clockwork,
): Promise<void> {
  const id = textOf(call.headers['consent-id'])
  if (id === undefined) return
  const consent = isUuid(id) ? await stores.consents.find(id) : undefined
  if (consent?.applicationId !== call.applicationId) {
    throw new BankError('CONSENT_UNKNOWN', [{ path: 'Consent-ID', text: 'No such consent' }])
  }
  await clockwork.lock(stores, { kind: 'consent', id: consent.id }, call.now)
  const current = promised(await stores.consents.find(consent.id))
  if (current.status !== 'valid') throw ended(current)
}

/** With a known PSU the account and its funds are checked before anything is made. */
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
    throw formatError('debtorAccount', `The PSU has no such account in ${currency}`)
  }
  if (account.iban === creditorAccount.iban) {
    throw formatError('creditorAccount', 'Must differ from the account of the debtor')
  }
  if (account.status !== 'enabled') {
    throw new BankError('SERVICE_BLOCKED', 'The account of the debtor is blocked')
  }
  if (account.cashAccountType !== 'CACC') {
    const text = 'Payments are debited to current accounts only'
    throw new BankError('SERVICE_INVALID', [{ path: 'debtorAccount', text }], { status: 400 })
  }
  if (prefersRejection(call) && !isCovering(account, amount)) {
    throw new BankError('PAYMENT_FAILED', 'The funds do not suffice')
  }
}

/** Whether the TPP wants a payment without funds rejected rather than tried again. */
export function prefersRejection({ headers }: BankCall): boolean {
  return textOf(headers['tpp-rejection-nofunds-preferred'])?.toLowerCase() === 'true'
}

/** Why the bank rejects a payment at once: it would have to credit an account of its own that cannot be. */
export async function rejectionOf(
  stores: Stores,
  { creditorAccount, instructedAmount }: PaymentInitiation,
): Promise<string | undefined> {
  const account = await findCreditorAccount(stores, creditorAccount, instructedAmount.currency)
  return account === undefined || account.status === 'enabled'
    ? undefined
    : 'The account of the creditor cannot be credited'
}
