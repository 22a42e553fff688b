import type { Bank } from '../bank.ts'
import type { Handler } from '../bank-call.ts'
import { createAccountHandlers } from './accounts.ts'
import { createAuthorisationHandlers } from './authorisations.ts'
import { createCardAccountHandlers } from './card-accounts.ts'
import { createConsentHandlers } from './consents.ts'
import { createMandateHandlers } from './mandates.ts'
import { createPaymentHandlers } from './payments.ts'
import { createReportHandlers } from './reports.ts'

/**
 * The handlers of all operations, by operationId. The bank does not start if
 * handlers and documents differ.
 */
export function createHandlers(bank: Bank): Readonly<Record<string, Handler>> {
  const mandates = createMandateHandlers(bank)
  const payments = createPaymentHandlers(bank)
  const accounts = createAccountHandlers(bank)
  const reports = createReportHandlers(bank)
  const cardAccounts = createCardAccountHandlers(bank)
  const consents = createConsentHandlers(bank)
  const authorisations = createAuthorisationHandlers(bank)
  return {
    createMandate: mandates.create,
    getMandate: mandates.read,
    deleteMandate: mandates.remove,
    getMandateStatus: mandates.readStatus,

    initiatePayment: payments.initiate,
    getPayment: payments.read,
    cancelPayment: payments.cancel,
    getPaymentStatus: payments.readStatus,
    getPaymentAuthorisation: authorisations.readOfPayment,
    updatePaymentAuthorisation: authorisations.updateOfPayment,

    listAccounts: accounts.list,
    getAccount: accounts.read,
    getAccountBalances: accounts.readBalances,
    listAccountTransactions: reports.list,
    getAccountTransaction: reports.read,

    listCardAccounts: cardAccounts.list,
    getCardAccount: cardAccounts.read,
    getCardAccountBalances: cardAccounts.readBalances,
    listCardAccountTransactions: cardAccounts.listTransactions,

    createConsent: consents.create,
    getConsent: consents.read,
    deleteConsent: consents.remove,
    getConsentStatus: consents.readStatus,
    getConsentAuthorisation: authorisations.readOfConsent,
    updateConsentAuthorisation: authorisations.updateOfConsent,
  }
}
