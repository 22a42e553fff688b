import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { ApiVersion, Operation } from '../../src/catalogue/catalogue.ts'

import { bucketName } from '../../src/gateway/counters/bucket.ts'
import { connectControl } from '../../src/gateway/operate/control-client.ts'
import { answerContracts } from '../support/answer-contract.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { registryBeside, runTollgate } from '../support/tollgate.ts'

const psu = '305567661'
const iban = 'IL030205710000000200285'
const window = 31_536_000

/** What earlier calls of a version's row made and later ones need. */
interface Made {
  consentId: string
  consentAuthorisationId: string
  payment: string
  paymentAuthorisationId: string
  account: string
  cardAccount: string
  transaction: string
  mandate: string
}

/** How to call one operation so that it succeeds, and what to keep of the answer. */
interface Row {
  readonly id: string
  readonly status: number
  readonly parameters?: (made: Made) => Readonly<Record<string, string>>
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly keep?: (made: Made, body: ReturnType<typeof JSON.parse>) => void
}

const embedded = { 'psu-id': psu, 'tpp-redirect-preferred': 'false' }
const password = { psuData: { password: '12345' } }
const lastSegment = (href: string): string => href.split('/').at(-1) ?? ''
const ofAccount = (made: Made) => ({ 'account-id': made.account })
const ofCardAccount = (made: Made) => ({ 'account-id': made.cardAccount })
const ofConsent = (made: Made) => ({ consentId: made.consentId })
const ofPayment = (made: Made) => ({ 'payment-product': 'masav', paymentId: made.payment })
const ofMandate = (made: Made) => ({ resourceId: made.mandate })
const ofConsentAuthorisation = (made: Made) => ({
  ...ofConsent(made),
  authorisationId: made.consentAuthorisationId,
})
const ofPaymentAuthorisation = (made: Made) => ({
  ...ofPayment(made),
  authorisationId: made.paymentAuthorisationId,
})
const entries = 'bookingStatus=booked&dateFrom=2020-01-01'

/** Every operation once, in an order in which each finds what it needs. */
const rows: readonly Row[] = [
  {
    id: 'createConsent',
    status: 201,
    headers: embedded,
    body: {
      access: { accounts: [{ iban }], balances: [{ iban }], transactions: [{ iban }] },
      recurringIndicator: true,
      validUntil: '2099-12-31',
      frequencyPerDay: 4,
      combinedServiceIndicator: false,
    },
    keep(made, body) {
      made.consentId = body.consentId
      made.consentAuthorisationId = lastSegment(body._links.scaStatus.href)
    },
  },
  { id: 'getConsent', status: 200, parameters: ofConsent },
  { id: 'getConsentStatus', status: 200, parameters: ofConsent },
  { id: 'getConsentAuthorisation', status: 200, parameters: ofConsentAuthorisation },
  {
    id: 'updateConsentAuthorisation',
    status: 200,
    parameters: ofConsentAuthorisation,
    headers: { 'psu-id': psu },
    body: password,
  },
  { id: 'deleteConsent', status: 204, parameters: ofConsent },
  {
    id: 'listAccounts',
    status: 200,
    keep(made, body) {
      made.account = body.accounts[0].resourceId
    },
  },
  { id: 'getAccount', status: 200, parameters: ofAccount, query: 'withBalance=true' },
  { id: 'getAccountBalances', status: 200, parameters: ofAccount },
  {
    id: 'listAccountTransactions',
    status: 200,
    parameters: ofAccount,
    query: entries,
    keep(made, body) {
      made.transaction = body.transactions.booked[0].transactionId
    },
  },
  {
    id: 'getAccountTransaction',
    status: 200,
    parameters: (made) => ({ ...ofAccount(made), transactionId: made.transaction }),
  },
  {
    id: 'listCardAccounts',
    status: 200,
    keep(made, body) {
      made.cardAccount = body.cardAccounts[0].resourceId
    },
  },
  { id: 'getCardAccount', status: 200, parameters: ofCardAccount },
  { id: 'getCardAccountBalances', status: 200, parameters: ofCardAccount },
  { id: 'listCardAccountTransactions', status: 200, parameters: ofCardAccount, query: entries },
  {
    id: 'initiatePayment',
    status: 201,
    parameters: () => ({ 'payment-product': 'masav' }),
    headers: embedded,
    body: {
      debtorAccount: { iban, currency: 'ILS' },
      instructedAmount: { currency: 'ILS', amount: '12.80' },
      creditorAccount: { iban: 'IL090123450000000123456' },
      creditorName: 'Galil Water Works',
      remittanceInformationUnstructured: 'Water bill',
    },
    keep(made, body) {
      made.payment = body.paymentId
      made.paymentAuthorisationId = lastSegment(body._links.updatePsuAuthentication.href)
    },
  },
  { id: 'getPayment', status: 200, parameters: ofPayment },
  { id: 'getPaymentStatus', status: 200, parameters: ofPayment },
  { id: 'getPaymentAuthorisation', status: 200, parameters: ofPaymentAuthorisation },
  {
    id: 'updatePaymentAuthorisation',
    status: 200,
    parameters: ofPaymentAuthorisation,
    headers: { 'psu-id': psu },
    body: password,
  },
  { id: 'cancelPayment', status: 202, parameters: ofPayment },
  {
    id: 'createMandate',
    status: 201,
    headers: { 'psu-id': psu },
    body: {
      mandateId: 'GWW-2026-004411',
      type: { localInstrumentCode: 'MASAV' },
      occurrences: { sequenceType: 'RCUR', frequencyType: 'Monthly' },
      maximumAmount: { currency: 'ILS', amount: '900.00' },
      creditor: {
        name: 'Galil Water Works',
        identification: { organisationId: { others: [{ identification: '30417' }] } },
      },
      creditorAccount: { other: { identification: '30417' } },
      debtor: { name: 'Noa Levi' },
      debtorAccount: { iban },
    },
    keep(made, body) {
      made.mandate = body.mandateResourceId
    },
  },
  { id: 'getMandate', status: 200, parameters: ofMandate },
  { id: 'getMandateStatus', status: 200, parameters: ofMandate },
  { id: 'deleteMandate', status: 204, parameters: ofMandate },
]

t.test(
  'every operation of every version answers as its document says and is counted by itself',
  async (t) => {
    const tollgate = await runTollgate(t, { isEmbedded: true })
    const stores = await registryBeside(t, tollgate.dataDir)
    const [application] = await stores.applications.list({ limit: 1 })
    const applicationId = application?.id ?? ''
    const catalogue = await publishedCatalogue()
    const operations = [...catalogue.versions.values()].flatMap((version) => version.operations)
    const buckets = operations.map((operation) =>
      bucketName(applicationId, operation, { scope: 'operation', windowLength: window }),
    )
    const control = connectControl({ dataDir: tollgate.dataDir })
    t.teardown(() => control.close())
    const counts = async () =>
      (await control.peek(buckets.map((bucket) => ({ bucket, windowLength: window })))).map(
        ({ count }) => count,
      )
    const called = new Set<Operation>()

    async function call(row: Row, version: ApiVersion, operation: Operation, made: Made) {
      const name = `${version.api} ${version.version} ${row.id}`
      const before = await counts()
      const path = operation.path.replaceAll(
        /\{([^}]+)\}/g,
        (_, parameter) => row.parameters?.(made)[parameter] ?? 'missing',
      )
      const answer = await fetch(
        `${tollgate.urls.gateway}${path}${row.query === undefined ? '' : `?${row.query}`}`,
        {
          method: operation.method,
          headers: {
            'x-api-key': tollgate.key,
            'x-request-id': randomUUID(),
            'psu-ip-address': '127.0.0.1',
            ...(row.id.includes('ccount') ? { 'consent-id': tollgate.consentId } : {}),
            ...(row.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...row.headers,
          },
          ...(row.body === undefined ? {} : { body: JSON.stringify(row.body) }),
        },
      )
      const text = await answer.text()
      t.equal(answer.status, row.status, `${name}: ${answer.status === row.status ? '' : text}`)
      const body = text === '' ? undefined : JSON.parse(text)
      const violations = answerContracts(version).get(row.id)?.({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body,
        contentType: answer.headers.get('content-type') ?? undefined,
      })
      t.same(violations, [], `${name} answers as documented`)
      const after = await counts()
      t.same(
        after.map((count, at) => count - (before[at] ?? 0)),
        operations.map((other) => (other === operation ? 1 : 0)),
        `${name} alone is counted`,
      )
      called.add(operation)
      if (answer.status === row.status) row.keep?.(made, body)
    }

    for (const version of catalogue.versions.values()) {
      const made: Made = {
        consentId: '',
        consentAuthorisationId: '',
        payment: '',
        paymentAuthorisationId: '',
        account: '',
        cardAccount: '',
        transaction: '',
        mandate: '',
      }
      for (const row of rows) {
        const operation = version.operations.find(({ id }) => id === row.id)
        if (operation !== undefined) await call(row, version, operation, made)
      }
    }
    t.equal(operations.length, 45)
    t.equal(called.size, 45, 'no operation was left out')
  },
)
