// This folder answers the calls of the bank's interface, one handler for each operation. This table lists them.
// `payments.ts`, `consents.ts`, `mandates.ts` and `authorisations.ts` are the resources; `accounts.ts`,
// `card-accounts.ts` and `reports.ts` serve the data that consents cover; `*-rules.ts` and `*-check.ts` check what a
// document cannot express. Only handlers translate between the documents' JSON and the bank's resources. They have no
// access to the gateway's header, HTTP or SQL.

import type { Bank } from '../bank.ts'
import type { Handler } from '../bank-call.ts'
import type { BankOperation } from '../bank-operations.ts'
import { createAccountHandlers } from './accounts.ts'
import { createAuthorisationHandlers } from './authorisations.ts'
import { createCardAccountHandlers } from './card-accounts.ts'
import { createConsentHandlers } from './consents.ts'
import { createMandateHandlers } from './mandates.ts'
import { createPaymentHandlers } from './payments.ts'
import { createReportHandlers } from './reports.ts'

/**
 * The handlers of all operations, by operationId. The bank rejects a document with
 * an operation that is not listed here.
 */
export function createHandlers(bank: Bank): Readonly<Record<BankOperation, Handler>> {
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
