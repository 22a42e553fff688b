import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { codeOf, lastSegment, type TestAnswer } from '../support/bank.ts'
import { type InterfaceCall, type InterfaceWorld, interfaceWorld } from '../support/interface.ts'
import { bill, consentRequest, invoice } from '../support/requests.ts'

const noa = { 'psu-id': '305567661' }
const masav = { 'payment-product': 'masav' }

t.test('payments through the gateway', async (t) => {
  const world = await interfaceWorld(t)
  for (const version of ['1.6.0', '1.7.0']) {
    t.test(version, (t) => paymentsOf(t, world, version))
  }
})

async function paymentsOf(t: Test, world: InterfaceWorld, version: string) {
  type Change = Partial<Omit<InterfaceCall, 'version'>>
  const initiate = (t: Test, change: Change = {}) =>
    world.call(t, {
      operation: 'initiatePayment',
      version,
      path: masav,
      body: bill,
      ...change,
      headers: { ...noa, ...change.headers },
    })
  const on = (operation: string, path: Readonly<Record<string, string>>, change: Change = {}) => {
    return (t: Test) => world.call(t, { operation, version, path, ...change })
  }
  const refusal = (answer: TestAnswer) => `${answer.status} ${codeOf(answer)}`

  /** A payment and the paths of it and of its authorisation. */
  async function made(t: Test, change: Change = {}) {
    const { body } = await initiate(t, change)
    const href: string = body._links.updatePsuAuthentication.href
    const product = change.path ?? masav
    return { ...product, paymentId: String(body.paymentId), authorisationId: lastSegment(href) }
  }

  async function approve(t: Test, path: Readonly<Record<string, string>>) {
    let last: TestAnswer | undefined
    for (const body of [
      { psuData: { password: '12345' } },
      { authenticationMethodId: 'sms-1' },
      { scaAuthenticationData: '123456' },
    ]) {
      last = await on('updatePaymentAuthorisation', path, { headers: noa, body })(t)
    }
    return last?.body.scaStatus
  }

  t.test('a payment is made, approved, read and settled', async (t) => {
    const path = await made(t)
    t.equal((await on('getPaymentStatus', path)(t)).body.transactionStatus, 'RCVD')
    t.equal(await approve(t, path), 'finalised')
    const read = await on('getPayment', path)(t)
    t.match(read.body, { ...bill, transactionStatus: 'ACTC' })
    const cancelled = await on('cancelPayment', path)(t)
    t.equal(cancelled.status, 202)
    if (version === '1.6.0') {
      const authorisation = await on('getPaymentAuthorisation', path)(t)
      t.match(authorisation.body, { scaStatus: 'finalised', psuName: 'Noa Levi' })
    }
  })

  t.test('the same answer for what is unknown and what is of another TPP or product', async (t) => {
    const path = await made(t)
    const operations = [
      'getPayment',
      'cancelPayment',
      'getPaymentStatus',
      'updatePaymentAuthorisation',
    ]
    if (version === '1.6.0') operations.push('getPaymentAuthorisation')
    for (const operation of operations) {
      const body = operation === 'updatePaymentAuthorisation' ? { body: {} } : {}
      const unknown = await on(operation, { ...path, paymentId: randomUUID() }, body)(t)
      t.equal(refusal(unknown), '404 RESOURCE_UNKNOWN', operation)
      const foreign = await on(operation, path, { ...body, as: 'other' })(t)
      t.strictSame(foreign.body, unknown.body, `${operation}: of another TPP`)
      const elsewhere = await on(operation, { ...path, 'payment-product': 'fp' }, body)(t)
      t.strictSame(elsewhere.body, unknown.body, `${operation}: of another product`)
      const nothing = await on(operation, { ...path, 'payment-product': 'MASAV' }, body)(t)
      t.equal(refusal(nothing), '404 PRODUCT_UNKNOWN', operation)
    }
    for (const operation of operations.slice(3)) {
      const other = { ...path, authorisationId: randomUUID() }
      const body = operation === 'updatePaymentAuthorisation' ? { body: {} } : {}
      t.equal(refusal(await on(operation, other, body)(t)), '403 RESOURCE_UNKNOWN', operation)
    }
  })

  const refusals: Readonly<Record<string, Change>> = {
    '400 PARAMETER_NOT_CONSISTENT': {
      path: { 'payment-product': 'sepa-credit-transfers' },
      headers: { 'psu-id': 'anton.brueckner' },
      body: {
        ...invoice,
        remittanceInformationUnstructured: 'Invoice 7',
        remittanceInformationStructured: { reference: 'RF18539007547034' },
      },
    },
    '400 PARAMETER_NOT_SUPPORTED': {
      path: { 'payment-product': 'sepa-credit-transfers' },
      headers: { 'psu-id': 'anton.brueckner' },
      body: { ...invoice, chargeBearer: 'DEBT' },
    },
    '400 SERVICE_INVALID': {
      body: { ...bill, debtorAccount: { iban: 'IL910205710000000445566' } },
    },
    '400 EXECUTION_DATE_INVALID': { body: { ...bill, requestedExecutionDate: '2026-01-02' } },
    '400 PAYMENT_FAILED': {
      headers: { 'tpp-rejection-nofunds-preferred': 'True' },
      body: { ...bill, instructedAmount: { currency: 'ILS', amount: '999999.99' } },
    },
    '400 CONSENT_UNKNOWN': { headers: { 'consent-id': randomUUID() } },
    '401 PSU_CREDENTIALS_INVALID': { headers: { 'psu-id': 'PSU-Blocked' } },
    '401 CORPORATE_ID_INVALID': { headers: { 'psu-corporate-id': '510000011' } },
    // The request names no account, and the PSU has none in shekels.
    '403 PRODUCT_INVALID': {
      headers: { 'psu-id': 'anton.brueckner' },
      body: { ...bill, debtorAccount: undefined },
    },
    '403 SERVICE_BLOCKED': { headers: { 'psu-id': 'PSU-ServiceBlocked' } },
    '404 PRODUCT_UNKNOWN': { path: { 'payment-product': 'bulk' } },
  }
  for (const [expected, change] of Object.entries(refusals)) {
    t.test(`POST: ${expected}`, async (t) => {
      t.equal(refusal(await initiate(t, change)), expected)
    })
  }

  t.test('an organisation is named by who acts for it', async (t) => {
    const { debtorAccount: _, ...body } = bill
    for (const id of ['510000011', 'IL-510000011']) {
      const headers = { 'psu-id': 'PSU-Corporate', 'psu-corporate-id': id }
      t.equal((await initiate(t, { headers, body })).status, 201, id)
    }
    const anybody = { 'psu-id': undefined, 'psu-corporate-id': '510000011' }
    t.equal((await initiate(t, { headers: anybody, body })).status, 201)
    const nobody = { 'psu-id': undefined, 'psu-corporate-id': '123456789' }
    t.equal(refusal(await initiate(t, { headers: nobody, body })), '401 CORPORATE_ID_INVALID')
  })

  t.test('a session consent must be one that can be used', async (t) => {
    for (const [alias, expected] of [
      ['PSU-ConsentExpired', '401 CONSENT_EXPIRED'],
      ['PSU-ConsentRevokedByPsu', '401 CONSENT_INVALID'],
    ] as const) {
      const consent = await world.call(t, {
        operation: 'createConsent',
        version,
        headers: { 'psu-id': alias, 'tpp-decoupled-preferred': 'true' },
        body: consentRequest,
      })
      world.clock.now += 2000
      const headers = { 'consent-id': consent.body.consentId }
      t.equal(refusal(await initiate(t, { headers })), expected)
    }
  })

  t.test('what is approved and instant cannot be cancelled', async (t) => {
    const path = await made(t, { path: { 'payment-product': 'fp' } })
    await approve(t, path)
    t.equal(refusal(await on('cancelPayment', path)(t)), '405 CANCELLATION_INVALID')
  })

  t.test('PUT: what is wrong with a step, and three wrong passwords', async (t) => {
    const path = await made(t)
    const put = (body: object, headers: object = noa) =>
      on('updatePaymentAuthorisation', path, { body, headers: { ...headers } })(t)
    const two = { psuData: { password: '12345' }, scaAuthenticationData: '123456' }
    t.equal(refusal(await put(two)), '400 FORMAT_ERROR')
    t.equal(refusal(await put({ scaAuthenticationData: '123456' })), '409 STATUS_INVALID')
    const other = { 'psu-id': 'anton.brueckner' }
    t.equal(refusal(await put({}, other)), '401 PSU_CREDENTIALS_INVALID')
    const wrong = { psuData: { password: 'wrong' } }
    t.equal(refusal(await put(wrong)), '401 PSU_CREDENTIALS_INVALID')
    await put({ psuData: { password: '12345' } })
    const method = { authenticationMethodId: 'fax-1' }
    t.equal(refusal(await put(method)), '400 SCA_METHOD_UNKNOWN')
    const guessed = await made(t)
    for (let attempt = 1; attempt <= 3; attempt++) {
      await on('updatePaymentAuthorisation', guessed, { body: wrong, headers: noa })(t)
    }
    t.equal((await on('getPaymentStatus', guessed)(t)).body.transactionStatus, 'RJCT')
    const late = on('updatePaymentAuthorisation', guessed, { body: wrong, headers: noa })
    t.equal(refusal(await late(t)), '409 STATUS_INVALID')
    const confirm = on('updatePaymentAuthorisation', guessed, {
      body: { confirmationCode: 'none' },
      headers: noa,
    })
    t.equal(refusal(await confirm(t)), '400 SCA_INVALID')
  })

  t.test('PUT: who approves at the bank does not through the TPP', async (t) => {
    const { body } = await initiate(t, { headers: { 'tpp-redirect-uri': 'https://tpp.example/' } })
    const path = {
      ...masav,
      paymentId: String(body.paymentId),
      authorisationId: lastSegment(body._links.scaRedirect.href),
    }
    const put = on('updatePaymentAuthorisation', path, {
      headers: noa,
      body: { psuData: { password: '12345' } },
    })
    t.equal(refusal(await put(t)), '403 SERVICE_BLOCKED')
  })

  t.test('PUT: one method needs no choice, none at all no code, the app no PUT', async (t) => {
    const { debtorAccount: _, ...body } = bill
    const start = async (psuId: string) => {
      const headers = { 'psu-id': psuId }
      const path = await made(t, { headers, body })
      const put = (update: object) =>
        on('updatePaymentAuthorisation', path, { body: update, headers })(t)
      const status = async () => (await on('getPaymentStatus', path)(t)).body.transactionStatus
      return { put, status, first: await put({ psuData: { password: '12345' } }) }
    }
    const single = await start('PSU-OneMethod')
    t.match(single.first.body, { scaStatus: 'scaMethodSelected', chosenScaMethod: { name: /SMS/ } })
    t.equal((await single.put({ scaAuthenticationData: '123456' })).body.scaStatus, 'finalised')
    const exempted = await start('PSU-Exempted')
    t.equal(exempted.first.body.scaStatus, 'exempted')
    t.equal(await exempted.status(), 'ACTC')
    const app = await start('PSU-Successful')
    const asked = await app.put({ authenticationMethodId: 'app-1' })
    t.equal(asked.headers['aspsp-sca-approach'], 'DECOUPLED')
    t.match(asked.body, {
      scaStatus: 'started',
      chosenScaMethod: { authenticationType: 'PUSH_OTP' },
    })
    t.notOk(asked.body._links.authoriseTransaction)
    t.equal(refusal(await app.put({ scaAuthenticationData: '123456' })), '403 SERVICE_BLOCKED')
    world.clock.now += 2000
    t.equal(await app.status(), 'ACTC')
  })

  t.test('PUT and GET come too late after a day and after 13 months', async (t) => {
    const path = await made(t)
    world.clock.now += 24 * 3_600_000
    const put = on('updatePaymentAuthorisation', path, { body: {}, headers: noa })
    t.equal(refusal(await put(t)), '403 RESOURCE_EXPIRED')
    world.clock.now += 400 * 24 * 3_600_000
    t.equal(refusal(await on('getPayment', path)(t)), '403 RESOURCE_EXPIRED')
  })
}
