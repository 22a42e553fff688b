import type { ApiVersion } from '../catalogue/catalogue.ts'

/** Ids of the operations that the bank has handlers for. */
const bankOperations = [
  'createMandate',
  'getMandate',
  'deleteMandate',
  'getMandateStatus',
  'initiatePayment',
  'getPayment',
  'cancelPayment',
  'getPaymentStatus',
  'getPaymentAuthorisation',
  'updatePaymentAuthorisation',
  'listAccounts',
  'getAccount',
  'getAccountBalances',
  'listAccountTransactions',
  'getAccountTransaction',
  'listCardAccounts',
  'getCardAccount',
  'getCardAccountBalances',
  'listCardAccountTransactions',
  'createConsent',
  'getConsent',
  'deleteConsent',
  'getConsentStatus',
  'getConsentAuthorisation',
  'updateConsentAuthorisation',
] as const

export type BankOperation = (typeof bankOperations)[number]

const known: ReadonlySet<string> = new Set(bankOperations)

/** Whether the bank has handlers for operations of a version. */
export function isOfBank({ operations }: Pick<ApiVersion, 'operations'>): boolean {
  return operations.some(({ id }) => known.has(id))
}
