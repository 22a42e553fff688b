/** What every operation may refuse a call with (docs/bank.md, Requests). */
const everywhere = [
  '400 FORMAT_ERROR',
  '400 TIMESTAMP_INVALID',
  '401 CERTIFICATE_MISSING',
  '401 CERTIFICATE_INVALID',
  '401 CERTIFICATE_EXPIRED',
  '401 SIGNATURE_MISSING',
  '401 SIGNATURE_INVALID',
  '406 REQUESTED_FORMATS_INVALID',
  '500 INTERNAL_SERVER_ERROR',
  '503 SERVICE_UNAVAILABLE',
]
const withBody = ['415 FORMAT_ERROR']

const readWithConsent = [
  '400 CONSENT_UNKNOWN',
  '401 CONSENT_INVALID',
  '401 CONSENT_EXPIRED',
  '429 ACCESS_EXCEEDED',
]
const readAccount = ['200', ...readWithConsent, '404 RESOURCE_UNKNOWN']
const readTransactions = [...readAccount, '400 PERIOD_INVALID', '400 PARAMETER_NOT_SUPPORTED']
const updated = [
  '200',
  '400 SCA_METHOD_UNKNOWN',
  '400 SCA_INVALID',
  '401 PSU_CREDENTIALS_INVALID',
  '403 RESOURCE_UNKNOWN',
  '403 RESOURCE_EXPIRED',
  '403 SERVICE_BLOCKED',
  '409 STATUS_INVALID',
]

const specific: Readonly<Record<string, readonly string[]>> = {
  initiatePayment: [
    '201',
    ...withBody,
    '400 PARAMETER_NOT_CONSISTENT',
    '400 PARAMETER_NOT_SUPPORTED',
    '400 SERVICE_INVALID',
    '400 EXECUTION_DATE_INVALID',
    '400 PAYMENT_FAILED',
    '400 CONSENT_UNKNOWN',
    '401 PSU_CREDENTIALS_INVALID',
    '401 CORPORATE_ID_INVALID',
    '401 CONSENT_INVALID',
    '401 CONSENT_EXPIRED',
    '403 PRODUCT_INVALID',
    '403 SERVICE_BLOCKED',
    '404 PRODUCT_UNKNOWN',
  ],
  getPayment: ['200', '404 PRODUCT_UNKNOWN', '404 RESOURCE_UNKNOWN', '403 RESOURCE_EXPIRED'],
  cancelPayment: ['202', '404 PRODUCT_UNKNOWN', '404 RESOURCE_UNKNOWN', '405 CANCELLATION_INVALID'],
  getPaymentStatus: ['200', '404 PRODUCT_UNKNOWN', '404 RESOURCE_UNKNOWN'],
  getPaymentAuthorisation: [
    '200',
    '404 PRODUCT_UNKNOWN',
    '404 RESOURCE_UNKNOWN',
    '403 RESOURCE_UNKNOWN',
  ],
  updatePaymentAuthorisation: [
    ...updated,
    ...withBody,
    '404 PRODUCT_UNKNOWN',
    '404 RESOURCE_UNKNOWN',
  ],
  listAccounts: ['200', ...readWithConsent],
  getAccount: readAccount,
  getAccountBalances: readAccount,
  listAccountTransactions: readTransactions,
  getAccountTransaction: readAccount,
  listCardAccounts: ['200', ...readWithConsent],
  getCardAccount: readAccount,
  getCardAccountBalances: readAccount,
  listCardAccountTransactions: readTransactions,
  createConsent: [
    '201',
    ...withBody,
    '400 PERIOD_INVALID',
    '400 PARAMETER_NOT_CONSISTENT',
    '400 SERVICE_INVALID',
    '400 SESSIONS_NOT_SUPPORTED',
    '401 PSU_CREDENTIALS_INVALID',
    '401 CORPORATE_ID_INVALID',
    '403 SERVICE_BLOCKED',
  ],
  getConsent: ['200', '403 CONSENT_UNKNOWN'],
  deleteConsent: ['204', '403 CONSENT_UNKNOWN', '401 CONSENT_EXPIRED', '401 CONSENT_INVALID'],
  getConsentStatus: ['200', '403 CONSENT_UNKNOWN'],
  getConsentAuthorisation: ['200', '403 CONSENT_UNKNOWN', '403 RESOURCE_UNKNOWN'],
  updateConsentAuthorisation: [...updated, ...withBody, '403 CONSENT_UNKNOWN'],
  createMandate: [
    '201',
    ...withBody,
    '400 PARAMETER_NOT_CONSISTENT',
    '400 PARAMETER_NOT_SUPPORTED',
    '400 PERIOD_INVALID',
    '400 SERVICE_INVALID',
    '401 PSU_CREDENTIALS_INVALID',
    '403 SERVICE_BLOCKED',
    '409 STATUS_INVALID',
  ],
  getMandate: ['200', '404 RESOURCE_UNKNOWN'],
  deleteMandate: ['204', '202', '404 RESOURCE_UNKNOWN', '409 STATUS_INVALID'],
  getMandateStatus: ['200', '404 RESOURCE_UNKNOWN'],
}

/**
 * What each operation can answer, as `<status> <code>` or, for a success, as
 * the status alone: the table of the interface with its common rows. Rows of
 * the gateway (key, plan, unknown paths and methods) are not the bank's. Codes
 * that the documents have and this bank never uses are left out: those of
 * tokens, of roles and of certificates that are blocked or revoked (certificates
 * say nothing here of who calls), and RESOURCE_BLOCKED (CANCELLATION_INVALID
 * stands for it).
 */
export const cells: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(specific).map(([operation, own]) => [operation, [...own, ...everywhere]]),
)
