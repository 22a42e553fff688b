import { type BankCall, textOf } from '../bank-call.ts'
import { BankError, formatError } from '../bank-error.ts'
import { isUuid } from '../domain/identifiers.ts'
import type { PaymentInitiation } from '../domain/payment-initiation.ts'
import type { BankWork } from '../processes/bank-work.ts'
import { findDebtorAccount, isCovering } from '../processes/debtor.ts'
import { lockConsent } from '../processes/lock-resource.ts'
import type { Stores } from '../stores/bank-stores.ts'
import type { Psu } from '../stores/psus.ts'
import { checkUsable, unknownConsent } from './consents.ts'

/** Checks that a session consent belongs to the TPP and is valid. */
export async function checkSession(work: BankWork, call: BankCall): Promise<void> {
  const id = textOf(call.headers['consent-id'])
  if (id === undefined) return
  const consent = isUuid(id) ? await lockConsent(work, id) : undefined
  if (consent?.applicationId !== call.applicationId) {
    throw new BankError('CONSENT_UNKNOWN', [{ path: 'Consent-ID', text: unknownConsent }])
  }
  checkUsable(call, consent)
}

/** Checks the account and its funds before creating a payment, if the PSU is known. */
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
  if (prefersRejection(call) && !isCovering(account, amount)) {
    throw new BankError('PAYMENT_FAILED', 'The funds do not suffice')
  }
}

/** Whether the bank is to reject a payment without funds instead of retrying it. */
export function prefersRejection({ headers }: BankCall): boolean {
  return textOf(headers['tpp-rejection-nofunds-preferred'])?.toLowerCase() === 'true'
}
