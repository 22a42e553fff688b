import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { codeOf, lastSegment, start, type TestBank, testBank } from '../support/bank.ts'

const main = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'
const savings = '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10'
const debtor = { iban: 'IL030205710000000200285', currency: 'ILS' }
const bill = {
  endToEndIdentification: 'INV-2026-00117',
  debtorAccount: debtor,
  instructedAmount: { currency: 'ILS', amount: '1280.50' },
  creditorAccount: { iban: 'IL090123450000000123456' },
  creditorName: 'Galil Water Works',
  remittanceInformationUnstructured: 'Water bill 11/2026',
}
const invoice = {
  debtorAccount: { iban: 'DE89370400440532013000' },
  instructedAmount: { currency: 'EUR', amount: '420' },
  creditorAccount: { iban: 'FR1420041010050500013M02606' },
  creditorName: 'Atelier Lumière',
}
const psu = { 'psu-id': '305567661' }

t.test('payments', async (t) => {
  const bank = await testBank(t)
  const initiate = (product: string, body: object, headers: object = psu, version = '1.7.0') =>
    bank.call({
      operation: 'initiatePayment',
      version,
      path: { 'payment-product': product },
      headers: { ...headers },
      body,
    })

  for (const version of ['1.6.0', '1.7.0']) {
    t.test(`${version}: a payment is approved through the TPP, executed and booked`, async (t) => {
      const product = 'masav'
      const created = await initiate(
        product,
        { ...bill, unknown: { member: true } },
        { ...psu, 'tpp-redirect-preferred': 'false' },
        version,
      )
      t.equal(created.status, 201)
      const { paymentId, _links } = created.body
      const self = `/v${version}/payments/${product}/${paymentId}`
      t.equal(created.headers['location'], self)
      const authorisation: string = _links.updatePsuAuthentication.href
      t.strictSame(_links, {
        updatePsuAuthentication: { href: authorisation },
        ...(version === '1.6.0' ? { scaStatus: { href: authorisation } } : {}),
        self: { href: self },
        status: { href: `${self}/status` },
      })
      const path = {
        'payment-product': product,
        paymentId,
        authorisationId: lastSegment(authorisation),
      }
      const status = async () =>
        (await bank.call({ operation: 'getPaymentStatus', version, path })).body.transactionStatus
      t.equal(await status(), 'RCVD')
      for (const [body, scaStatus] of [
        [{ psuData: { password: '12345' } }, 'psuAuthenticated'],
        [{ authenticationMethodId: 'sms-1' }, 'scaMethodSelected'],
        [{ scaAuthenticationData: '123456' }, 'finalised'],
      ] as const) {
        const step = await bank.call({
          operation: 'updatePaymentAuthorisation',
          version,
          path,
          body,
        })
        t.equal(step.body.scaStatus, scaStatus)
        t.equal('scaStatus' in step.body._links, version === '1.6.0')
      }
      if (version === '1.6.0') {
        const read = await bank.call({ operation: 'getPaymentAuthorisation', version, path })
        t.equal(read.body.scaStatus, 'finalised')
      }
      t.equal(await status(), 'ACTC')
      bank.clock.now += 1000
      t.equal(await status(), 'ACSP')
      const before = await balance(bank, main)
      // A Friday: the next banking day is Sunday.
      bank.clock.now = Date.parse('2026-11-22T16:00:00Z') - 1
      t.equal(await status(), 'ACSP')
      bank.clock.now += 1
      t.equal(await status(), 'ACSC', 'at 18:00 of a banking day')
      t.equal(await balance(bank, main), before - 1280.5)
      const late = await bank.call({ operation: 'cancelPayment', version, path })
      t.strictSame([late.status, codeOf(late)], [405, 'CANCELLATION_INVALID'])
      const { body: read } = await bank.call({ operation: 'getPayment', version, path })
      t.strictSame(read, { ...bill, transactionStatus: 'ACSC' })
      const booked = await entries(bank, main)
      t.equal(
        booked.filter((entry) => entry.endToEndId === bill.endToEndIdentification).length,
        version === '1.6.0' ? 1 : 2,
        'booked exactly once',
      )
      bank.clock.now = start
    })
  }

  t.test('a text cannot change the direction of what is shown beside it', async (t) => {
    const remittanceInformationUnstructured = 'pay \u202E00.1 SLI to'
    for (const [body, path] of [
      [{ ...bill, remittanceInformationUnstructured }, 'remittanceInformationUnstructured'],
      [{ ...bill, creditorName: 'a\u2066b\u2069' }, 'creditorName'],
    ] as const) {
      const { status, body: refused } = await initiate('masav', body)
      const text = 'Must be text without control characters'
      t.match([status, refused.tppMessages], [400, [{ code: 'FORMAT_ERROR', path, text }]])
    }
    const mixed = { ...bill, creditorName: 'מי הגליל \u200EGalil 7\u200E' }
    t.equal((await initiate('masav', mixed)).status, 201, 'marks of direction are letters')
  })

  t.test('a purpose is one of the published list', async (t) => {
    t.equal((await initiate('masav', { ...bill, purposeCode: 'WTER' })).status, 201)
    const { status, body } = await initiate('masav', { ...bill, purposeCode: 'ZZZZ' })
    const text = 'Must be a code of the list ISO ExternalPurpose1Code, such as RENT'
    t.match([status, body.tppMessages], [400, [{ path: 'purposeCode', text }]])
  })

  t.test('an amount in another form is refused in words', async (t) => {
    const instructedAmount = { currency: 'ILS', amount: '1,5' }
    const { body } = await initiate('masav', { ...bill, instructedAmount })
    t.match(body.tppMessages, [
      { path: 'instructedAmount.amount', text: 'Must be an amount above zero, such as 12.50' },
    ])
  })

  t.test(
    'a payment within the bank is booked on both accounts, once, however many look',
    async (t) => {
      // Entries never go back in time: those of the days before come first.
      bank.clock.now = Date.parse('2026-11-23T08:00:00Z')
      const before = [await balance(bank, main), await balance(bank, savings)]
      const path = await approved(bank, 'fp', {
        ...bill,
        endToEndIdentification: 'INSIDE',
        instructedAmount: { currency: 'ILS', amount: '75' },
        creditorAccount: { iban: 'IL910205710000000445566' },
      })
      bank.clock.now += 2000
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => bank.call({ operation: 'getPaymentStatus', path })),
      )
      t.ok(answers.every(({ body }) => body.transactionStatus === 'ACSC'))
      const [from = 0, to = 0] = before
      t.strictSame([await balance(bank, main), await balance(bank, savings)], [from - 75, to + 75])
      for (const account of [main, savings]) {
        const found = (await entries(bank, account)).filter(
          ({ endToEndId }) => endToEndId === 'INSIDE',
        )
        t.equal(found.length, 1)
      }
    },
  )

  t.test('a payment with a time is not executed before it', async (t) => {
    const status = async (path: Readonly<Record<string, string>>) =>
      (await bank.call({ operation: 'getPaymentStatus', path })).body.transactionStatus
    for (const time of ['2026-11-20T15:00:00+02:00', '2026-11-21t00:30:00.5+11:30']) {
      bank.clock.now = start
      const path = await approved(bank, 'fp', { ...bill, requestedExecutionTime: time })
      bank.clock.now = Date.parse('2026-11-20T13:00:00Z') - 1
      t.equal(await status(path), 'ACTC', time)
      bank.clock.now += 3000
      t.equal(await status(path), 'ACSC', time)
    }
    bank.clock.now = start
    const path = await approved(bank, 'fp', { ...bill, requestedExecutionDate: '2026-11-22' })
    bank.clock.now = Date.parse('2026-11-22T04:00:00Z')
    t.equal(await status(path), 'ACFC', 'covered, and a day begins at 06:00')
    bank.clock.now += 2000
    t.equal(await status(path), 'ACSC')
    bank.clock.now = start
  })

  t.test('a time of execution is an instant, in whatever notation', async (t) => {
    for (const [time, expected] of [
      ['2026-12-31T23:59:60Z', 201],
      ['2026-12-31 10:00:00+02:00', 201],
      ['2026-12-31T10:00:00+02', 400],
    ] as const) {
      const answer = await initiate('fp', { ...bill, requestedExecutionTime: time })
      t.equal(answer.status, expected, time)
      if (expected === 400) t.equal(codeOf(answer), 'FORMAT_ERROR')
    }
  })

  t.test(
    'a payment whose TPP wants it so is refused at once if funds are insufficient',
    async (t) => {
      const refused = await initiate(
        'zahav',
        { ...bill, instructedAmount: { currency: 'ILS', amount: '2000000' } },
        { ...psu, 'tpp-rejection-nofunds-preferred': 'true' },
      )
      t.strictSame([refused.status, codeOf(refused)], [400, 'PAYMENT_FAILED'])
    },
  )

  t.test('every product takes a payment that keeps its rules', async (t) => {
    const euro = { 'psu-id': 'anton.brueckner' }
    for (const [product, body, headers] of [
      ['masav', bill, psu],
      ['zahav', bill, psu],
      ['fp', { ...bill, debtorAccount: undefined }, psu],
      ['sepa-credit-transfers', { ...invoice, requestedExecutionDate: '2026-11-24' }, euro],
      ['instant-sepa-credit-transfers', invoice, euro],
      ['target-2-payments', invoice, euro],
      [
        'cross-border-credit-transfers',
        { ...invoice, creditorAccount: { bban: '12345678' }, creditorAgent: 'TESTUS33' },
        euro,
      ],
    ] as const) {
      const answer = await initiate(product, body, headers)
      t.equal(answer.status, 201, `${product} ${JSON.stringify(answer.body)}`)
    }
  })

  t.test('the PSU may be asked which account: then the first current one is debited', async (t) => {
    const { debtorAccount: _, ...body } = bill
    const path = await approved(bank, 'fp', body)
    const read = await bank.call({ operation: 'getPayment', path })
    t.strictSame(read.body.debtorAccount, debtor)
  })

  t.test('what breaks a rule is refused with its code and place', async (t) => {
    const amount = (text: string, currency = 'ILS') => ({
      instructedAmount: { currency, amount: text },
    })
    const ago = (ms: number) => new Date(bank.clock.now - ms).toISOString()
    for (const [product, change, status, code, path] of [
      ['masav', amount('0'), 400, 'FORMAT_ERROR', 'instructedAmount.amount'],
      ['masav', amount('-1'), 400, 'FORMAT_ERROR', 'instructedAmount.amount'],
      ['masav', amount('1.005'), 400, 'FORMAT_ERROR', 'instructedAmount.amount'],
      ['masav', amount('1000000'), 400, 'FORMAT_ERROR', 'instructedAmount.amount'],
      ['fp', amount('50000.01'), 400, 'FORMAT_ERROR', 'instructedAmount.amount'],
      ['masav', amount('5', 'EUR'), 400, 'FORMAT_ERROR', 'instructedAmount.currency'],
      ['masav', { creditorAccount: debtor }, 400, 'FORMAT_ERROR', 'creditorAccount'],
      [
        'masav',
        { creditorAccount: { iban: 'IL090123450000000123457' } },
        400,
        'FORMAT_ERROR',
        'creditorAccount.iban',
      ],
      [
        'masav',
        { creditorAccount: invoice.debtorAccount },
        400,
        'FORMAT_ERROR',
        'creditorAccount.iban',
      ],
      ['masav', { creditorName: undefined }, 400, 'FORMAT_ERROR', 'creditorName'],
      [
        'masav',
        { remittanceInformationUnstructured: undefined },
        400,
        'FORMAT_ERROR',
        'remittanceInformationUnstructured',
      ],
      ['masav', { creditorName: 'a\u0000b' }, 400, 'FORMAT_ERROR', 'creditorName'],
      [
        'masav',
        { debtorAccount: { iban: 'IL510205710000000778899' } },
        400,
        'FORMAT_ERROR',
        'debtorAccount',
      ],
      ['masav', { requestedExecutionDate: '2026-11-19' }, 400, 'EXECUTION_DATE_INVALID', undefined],
      ['masav', { requestedExecutionDate: '2028-01-01' }, 400, 'EXECUTION_DATE_INVALID', undefined],
      ['zahav', { requestedExecutionDate: '2026-11-24' }, 400, 'EXECUTION_DATE_INVALID', undefined],
      [
        'masav',
        { requestedExecutionTime: ago(300_001) },
        400,
        'EXECUTION_DATE_INVALID',
        'requestedExecutionTime',
      ],
      ['masav', { requestedExecutionTime: ago(300_000) }, 201, undefined, undefined],
      [
        'masav',
        { requestedExecutionDate: '2026-02-30' },
        400,
        'FORMAT_ERROR',
        'requestedExecutionDate',
      ],
      ['MASAV', {}, 404, 'PRODUCT_UNKNOWN', undefined],
      // An unknown product is reported before any fault in the body.
      ['swift', { creditorName: undefined }, 404, 'PRODUCT_UNKNOWN', undefined],
    ] as const) {
      const answer = await initiate(product, { ...bill, ...change })
      t.strictSame(
        [answer.status, codeOf(answer)],
        [status, code],
        `${product} ${JSON.stringify(change)}`,
      )
      const paths = answer.body.tppMessages?.map((message: { path?: string }) => message.path)
      if (path !== undefined) t.ok(paths.includes(path), `${paths} has ${path}`)
    }
    const unknown = await initiate('MASAV', bill)
    t.match(unknown.body.tppMessages, [{ text: /payment products: .*\bmasav\b/ }])
    const blocked = await initiate(
      'masav',
      { ...bill, debtorAccount: undefined },
      { 'psu-id': 'PSU-Blocked' },
    )
    t.strictSame([blocked.status, codeOf(blocked)], [401, 'PSU_CREDENTIALS_INVALID'])
    for (const [alias, text] of [
      ['PSU-AccountBlocked', 'The account of the debtor is blocked'],
      ['PSU-AccountClosed', 'The account of the debtor is closed'],
    ] as const) {
      const { iban } = sandboxPsus.find((person) => person.alias === alias)?.accounts[0] ?? {}
      const shut = await initiate(
        'masav',
        { ...bill, debtorAccount: { iban } },
        { 'psu-id': alias },
      )
      t.match([shut.status, shut.body.tppMessages], [403, [{ code: 'SERVICE_BLOCKED', text }]])
    }
    const dollars = { ...invoice, instructedAmount: { currency: 'USD', amount: '9.00' } }
    const anton = { 'psu-id': 'anton.brueckner' }
    const { body: converted } = await initiate('cross-border-credit-transfers', dollars, anton)
    const text = 'The PSU has no such account in USD; the bank does not convert currencies'
    t.match(converted.tppMessages, [{ code: 'FORMAT_ERROR', path: 'debtorAccount', text }])
    const { debtorAccount: _, ...open } = bill
    const foreign = await initiate('masav', open, { 'psu-id': 'anton.brueckner' })
    t.strictSame([foreign.status, codeOf(foreign)], [403, 'PRODUCT_INVALID'])
    const toOneself = await initiate('masav', { ...open, creditorAccount: debtor })
    t.equal(toOneself.body.tppMessages[0].path, 'creditorAccount')
    const { body: unnamed } = await initiate(
      'masav',
      { ...open, creditorAccount: debtor },
      { 'tpp-decoupled-preferred': 'true' },
    )
    const path = {
      'payment-product': 'masav',
      paymentId: String(unnamed.paymentId),
      authorisationId: lastSegment(unnamed._links.updatePsuIdentification.href),
    }
    await bank.call({
      operation: 'updatePaymentAuthorisation',
      path,
      headers: { ...psu },
      body: {},
    })
    bank.clock.now += 2000
    const { body: refused } = await bank.call({ operation: 'getPaymentStatus', path })
    t.equal(refused.transactionStatus, 'RJCT', 'who pays was not known before')
  })

  t.test('a session names a consent that is valid', async (t) => {
    const create = await bank.call({
      operation: 'createConsent',
      headers: { ...psu, 'tpp-decoupled-preferred': 'true' },
      body: {
        access: { allPsd2: 'allAccounts' },
        recurringIndicator: true,
        validUntil: '2026-11-20',
        frequencyPerDay: 1,
        combinedServiceIndicator: false,
      },
    })
    const { consentId } = create.body
    const pay = async (id: string) => {
      const answer = await initiate('masav', bill, { ...psu, 'consent-id': id })
      return [answer.status, codeOf(answer)]
    }
    t.strictSame(await pay(randomUUID()), [400, 'CONSENT_UNKNOWN'])
    t.strictSame(await pay(consentId), [401, 'CONSENT_INVALID'])
    bank.clock.now += 2000
    t.strictSame(await pay(consentId), [201, undefined])
    bank.clock.now += 24 * 3_600_000
    t.strictSame(await pay(consentId), [401, 'CONSENT_EXPIRED'])
    bank.clock.now = start
  })

  t.test(
    'a payment of another TPP or under another product answers like an unknown one',
    async (t) => {
      const { body } = await initiate('masav', bill)
      const path = {
        'payment-product': 'masav',
        paymentId: body.paymentId,
        authorisationId: randomUUID(),
      }
      for (const operation of [
        'getPayment',
        'getPaymentStatus',
        'cancelPayment',
        'getPaymentAuthorisation',
        'updatePaymentAuthorisation',
      ]) {
        const headers = { 'x-request-id': randomUUID() }
        const unknown = await bank.call({
          operation,
          headers,
          path: { ...path, paymentId: randomUUID() },
        })
        t.strictSame([unknown.status, codeOf(unknown)], [404, 'RESOURCE_UNKNOWN'])
        const foreign = await bank.call({ operation, headers, path, applicationId: 'other' })
        t.strictSame(foreign, unknown, operation)
        const product = { ...path, 'payment-product': 'zahav' }
        t.strictSame(await bank.call({ operation, headers, path: product }), unknown, operation)
      }
      const other = await bank.call({ operation: 'updatePaymentAuthorisation', path })
      t.strictSame([other.status, codeOf(other)], [403, 'RESOURCE_UNKNOWN'])
    },
  )

  t.test(
    'a payment made in one version is read in the other, with the links of that one',
    async (t) => {
      const headers = { ...psu, 'x-request-id': randomUUID() }
      const { body } = await initiate('masav', bill, headers, '1.6.0')
      const path = { 'payment-product': 'masav', paymentId: body.paymentId }
      const cancelled = await bank.call({ operation: 'cancelPayment', version: '1.7.0', path })
      t.equal(cancelled.body._links.self.href, `/v1.7.0/payments/masav/${body.paymentId}`)
    },
  )

  t.test('an unapproved payment is cancelled at once, an approved one by the PSU', async (t) => {
    const cancel = (path: Readonly<Record<string, string>>, version = '1.7.0') =>
      bank.call({ operation: 'cancelPayment', version, path })
    for (const version of ['1.6.0', '1.7.0']) {
      const { body } = await initiate('masav', bill, psu, version)
      const path = { 'payment-product': 'masav', paymentId: body.paymentId }
      const first = await cancel(path, version)
      t.strictSame([first.status, first.body.transactionStatus], [202, 'CANC'])
      const second = await cancel(path, version)
      t.strictSame([second.status, codeOf(second)], [405, 'CANCELLATION_INVALID'])
    }

    for (const [alias, outcome] of [
      ['PSU-Euro', 'CANC'],
      ['PSU-Cancellation-Rejected', 'ACSP'],
    ] as const) {
      const isEuro = alias === 'PSU-Euro'
      const { debtorAccount: _, ...open } = bill
      const product = isEuro ? 'sepa-credit-transfers' : 'masav'
      const path = await approved(bank, product, isEuro ? invoice : open, alias)
      const pending = await cancel(path)
      t.equal(pending.status, 202)
      t.not(pending.body.transactionStatus, 'CANC')
      t.equal(pending.headers['aspsp-sca-approach'], 'DECOUPLED')
      bank.clock.now += 2000
      const { body } = await bank.call({ operation: 'getPaymentStatus', path })
      t.equal(body.transactionStatus, outcome, alias)
    }
    const instant = await approved(bank, 'fp', bill)
    const late = await cancel(instant)
    t.strictSame([late.status, codeOf(late)], [405, 'CANCELLATION_INVALID'])
  })

  t.test(
    'a cancellation approved after the booking is too late, regardless of who reads first',
    async (t) => {
      const path = await approved(bank, 'masav', bill)
      const noon = bank.clock.now
      bank.clock.now = Date.parse('2026-11-22T15:59:59Z')
      t.ok(noon < bank.clock.now)
      const { status } = await bank.call({ operation: 'cancelPayment', path })
      t.equal(status, 202)
      bank.clock.now += 60_000
      const { body } = await bank.call({ operation: 'getPaymentStatus', path })
      t.equal(body.transactionStatus, 'ACSC')
      bank.clock.now = noon
    },
  )

  t.test('the personas of the sandbox decide payments as described', async (t) => {
    for (const [alias, outcome] of [
      ['PSU-Rejected', 'RJCT'],
      ['PSU-InternalLimit', 'RJCT'],
      ['PSU-Successful', 'ACTC'],
    ] as const) {
      const { debtorAccount: _, ...body } = bill
      const path = await approved(bank, 'masav', body, alias)
      const answer = await bank.call({ operation: 'getPaymentStatus', path })
      t.equal(answer.body.transactionStatus, outcome, alias)
    }
  })
})

/** Initiates a payment and lets the persona decide on its device. */
async function approved(bank: TestBank, product: string, body: object, alias = '305567661') {
  const created = await bank.call({
    operation: 'initiatePayment',
    path: { 'payment-product': product },
    headers: { 'psu-id': alias, 'tpp-decoupled-preferred': 'true' },
    body,
  })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  bank.clock.now += 2000
  const path = { 'payment-product': product, paymentId: String(created.body.paymentId) }
  await bank.call({ operation: 'getPaymentStatus', path })
  return path
}

async function consentOf(bank: TestBank): Promise<string> {
  const { database, applicationId, clock } = bank
  return createSeededConsent({ database, applicationId, now: () => clock.now })
}

async function balance(bank: TestBank, account: string): Promise<number> {
  const { body } = await bank.call({
    operation: 'getAccountBalances',
    headers: { 'consent-id': await consentOf(bank) },
    path: { 'account-id': account },
  })
  const [found] = body.balances.filter(
    (one: { balanceType: string }) => one.balanceType === 'interimBooked',
  )
  return Number(found.balanceAmount.amount)
}

async function entries(bank: TestBank, account: string): Promise<{ endToEndId?: string }[]> {
  const { body } = await bank.call({
    operation: 'listAccountTransactions',
    headers: { 'consent-id': await consentOf(bank) },
    path: { 'account-id': account },
    query: 'bookingStatus=booked&dateFrom=2026-11-01&itemsPerPage=500',
  })
  return body.transactions.booked
}
