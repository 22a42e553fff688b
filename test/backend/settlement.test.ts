import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { isBankingDay } from '../../src/backend/domain/banking-days.ts'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { codeOf, start, type TestBank, testBank } from '../support/bank.ts'
import { givenConsent } from '../support/consent.ts'
import { approve } from '../support/embedded-approval.ts'
import { bill, invoice } from '../support/requests.ts'

const noa = '305567661'
const at = (text: string) => Date.parse(text)

t.test('banks rest on their own feasts', (t) => {
  for (const [day, market, works] of [
    ['2026-11-20', 'IL', false],
    ['2026-11-22', 'IL', true],
    ['2026-11-20', 'EUR', true],
    ['2026-11-22', 'EUR', false],
    ['2026-04-02', 'IL', false],
    ['2026-04-22', 'IL', false],
    ['2026-09-21', 'IL', false],
    ['2027-05-12', 'IL', false],
    ['2027-05-11', 'IL', true],
    ['2026-04-03', 'EUR', false],
    ['2026-04-06', 'EUR', false],
    ['2027-03-29', 'EUR', false],
    ['2026-12-25', 'EUR', false],
    ['2026-12-24', 'EUR', true],
  ] as const) {
    t.equal(isBankingDay(day, market), works, `${market} ${day}`)
  }
  t.end()
})

t.test('an approved payment', async (t) => {
  const bank = await testBank(t)
  const status = async (path: Readonly<Record<string, string>>) =>
    (await bank.call({ operation: 'getPaymentStatus', path })).body
  const pay = (product: string, body: object, options: Parameters<typeof paid>[3] = {}) =>
    paid(bank, product, body, options)
  t.beforeEach(() => {
    bank.clock.now = start
  })

  /** The status at each of these times. */
  async function follow(
    t: Test,
    path: Readonly<Record<string, string>>,
    steps: Readonly<Record<string, string>>,
  ) {
    for (const [time, expected] of Object.entries(steps)) {
      bank.clock.now = at(time)
      t.equal((await status(path)).transactionStatus, expected, time)
    }
  }

  t.test('is instant on any day, and confirmed by the bank of the creditor', async (t) => {
    const path = await pay('fp', bill)
    await follow(t, path, {
      '2026-11-20T08:00:00Z': 'ACTC',
      '2026-11-20T08:00:01Z': 'ACSP',
      '2026-11-20T08:00:02Z': 'ACSC',
      '2026-11-20T08:00:31.999Z': 'ACSC',
      '2026-11-20T08:00:32Z': 'ACCC',
      '2027-11-20T08:00:00Z': 'ACCC',
    })
  })

  t.test('of a day on which banks rest begins on the next one, and says so', async (t) => {
    const dated = { ...bill, requestedExecutionDate: '2026-11-27' }
    const made = await initiate(bank, 'masav', dated)
    t.strictSame(made.body.tppMessages, [
      { category: 'WARNING', code: 'WARNING', text: 'Execution begins on 2026-11-29' },
    ])
    const path = await pay('masav', dated)
    await follow(t, path, {
      '2026-11-20T08:00:00Z': 'ACWC',
      '2026-11-28T21:59:59Z': 'ACWC',
      '2026-11-28T22:00:00Z': 'ACFC',
      '2026-11-29T04:00:01Z': 'ACSP',
      '2026-11-29T15:59:59Z': 'ACSP',
      '2026-11-29T16:00:00Z': 'ACSC',
    })
  })

  t.test('settles gross in the hours of the bank only', async (t) => {
    const onFriday = await pay('zahav', bill)
    await follow(t, onFriday, {
      '2026-11-20T08:00:00Z': 'ACWC',
      '2026-11-22T06:00:00Z': 'ACFC',
      '2026-11-22T06:00:01Z': 'ACSP',
      '2026-11-22T06:01:00Z': 'ACSC',
    })
    bank.clock.now = at('2026-11-22T10:00:00Z')
    const onSunday = await pay('zahav', bill)
    await follow(t, onSunday, {
      '2026-11-22T10:00:00Z': 'ACTC',
      '2026-11-22T10:00:01Z': 'ACSP',
      '2026-11-22T10:01:00Z': 'ACSC',
    })
    bank.clock.now = at('2026-11-22T15:00:00Z')
    const late = await pay('zahav', bill)
    await follow(t, late, { '2026-11-22T15:00:00Z': 'ACWC', '2026-11-23T06:01:00Z': 'ACSC' })
    bank.clock.now = at('2026-11-20T10:00:00Z')
    const euro = await pay('target-2-payments', invoice, { psuId: 'anton.brueckner' })
    await follow(t, euro, { '2026-11-20T10:01:00Z': 'ACSC' })
  })

  t.test(
    'without funds is tried at three windows, and reports that they are missing',
    async (t) => {
      const path = await pay('masav', { ...bill, ...amount('900000') })
      bank.clock.now = at('2026-11-20T08:00:01Z')
      const waiting = await status(path)
      t.strictSame(
        [waiting.transactionStatus, waiting.fundsAvailable, waiting.tppMessage[0].code],
        ['ACSP', false, 'FUNDS_NOT_AVAILABLE'],
      )
      await follow(t, path, {
        '2026-11-22T16:00:00Z': 'ACSP',
        '2026-11-23T16:00:00Z': 'ACSP',
        '2026-11-24T15:59:59Z': 'ACSP',
        '2026-11-24T16:00:00Z': 'RJCT',
      })
      t.equal((await status(path)).fundsAvailable, false)
      t.notOk((await status(path)).tppMessage)
    },
  )

  t.test(
    'without funds is rejected at once when it is instant or its TPP wants it so',
    async (t) => {
      const { debtorAccount: _, ...open } = bill
      const poor = { ...open, ...amount('5000') }
      const instant = await pay('fp', poor, { psuId: 'PSU-NegativeBalance' })
      await follow(t, instant, { '2026-11-20T08:00:01Z': 'ACSP', '2026-11-20T08:00:02Z': 'RJCT' })
      bank.clock.now = start
      // The PSU is not known before the approval, so the TPP cannot be notified at once.
      const preferred = await pay(
        'masav',
        { ...bill, ...amount('900000') },
        {
          headers: { 'tpp-rejection-nofunds-preferred': 'TRUE' },
          isUnknown: true,
        },
      )
      await follow(t, preferred, { '2026-11-20T08:00:01Z': 'RJCT' })
    },
  )

  t.test('is cancelled as long as its product allows', async (t) => {
    const cancel = (path: Readonly<Record<string, string>>) =>
      bank.call({ operation: 'cancelPayment', path })
    const abroad = { ...invoice, creditorAccount: { bban: '12345678' }, creditorAgent: 'TESTUS33' }
    const sent = await pay('cross-border-credit-transfers', abroad, { psuId: 'anton.brueckner' })
    bank.clock.now += 1000
    t.equal(codeOf(await cancel(sent)), 'CANCELLATION_INVALID', 'sent already')
    const postponed = await pay('zahav', bill)
    t.equal((await cancel(postponed)).status, 202)
    bank.clock.now += 2000
    t.equal((await status(postponed)).transactionStatus, 'CANC')
    bank.clock.now = at('2026-12-01T00:00:00Z')
    t.equal((await status(postponed)).transactionStatus, 'CANC', 'for good')
    t.equal(codeOf(await cancel(postponed)), 'CANCELLATION_INVALID')
  })

  t.test(
    'stays cancelled if it is not read until its booking, and another is read then',
    async (t) => {
      const cancelled = await pay('masav', bill)
      const other = await pay('masav', bill)
      await bank.call({ operation: 'cancelPayment', path: cancelled })
      bank.clock.now = at('2026-11-22T16:00:00Z')
      t.equal((await status(other)).transactionStatus, 'ACSC')
      t.equal((await status(cancelled)).transactionStatus, 'CANC')
    },
  )

  for (const alias of ['PSU-AccountClosed', 'PSU-AccountBlocked']) {
    t.test(`to the account of ${alias} is rejected, but only after its approval`, async (t) => {
      const cannotReceive = { creditorAccount: { iban: ibanOf(alias) } }
      const made = await initiate(bank, 'masav', { ...bill, ...cannotReceive })
      const usual = await initiate(bank, 'masav', bill)
      t.strictSame([made.status, made.body.transactionStatus], [201, 'RCVD'])
      t.strictSame(Object.keys(made.body), Object.keys(usual.body), 'the TPP learns nothing of it')
      t.strictSame(Object.keys(made.body._links), Object.keys(usual.body._links))
      const path = { 'payment-product': 'masav', paymentId: String(made.body.paymentId) }
      t.equal((await status(path)).transactionStatus, 'RCVD')
      await approve(bank, { psuId: noa, href: made.body._links.scaStatus.href })
      t.equal((await status(path)).transactionStatus, 'RJCT')
    })
  }

  t.test('gets the money in its turn, however late it is read, in any order', async (t) => {
    // Below zero, with a limit of 3,000: both cannot be paid.
    const poor = { psuId: 'PSU-NegativeBalance' }
    const { debtorAccount: _, ...open } = bill
    const late = await pay('masav', { ...open, ...amount('2000') }, poor)
    const early = await pay('fp', { ...open, ...amount('1500') }, poor)
    bank.clock.now = at('2026-11-22T16:00:01Z')
    t.equal((await status(late)).transactionStatus, 'ACSP', 'no funds are left at its window')
    t.equal((await status(early)).transactionStatus, 'ACCC')
  })

  t.test('is booked before its account is read, however many are due', async (t) => {
    const some = { ...bill, ...amount('1') }
    for (let count = 0; count < 12; count += 1) await pay('masav', some)
    const consentId = await createSeededConsent({
      database: bank.database,
      applicationId: bank.applicationId,
      now: () => start,
    })
    const read = async () => {
      const { body } = await bank.call({
        operation: 'listAccounts',
        query: 'withBalance=true',
        headers: { 'consent-id': consentId },
      })
      return JSON.stringify(body)
    }
    bank.clock.now = at('2026-11-22T16:00:01Z')
    const first = await read()
    t.equal(await read(), first)
  })

  t.test(
    'is never debited to a savings account, regardless of who names it and when',
    async (t) => {
      const savings = { ...bill, debtorAccount: { iban: 'IL910205710000000445566' } }
      const path = await pay('fp', savings, { isUnknown: true })
      t.equal((await status(path)).transactionStatus, 'RJCT')
    },
  )

  for (const [product, body, code] of [
    ['masav', bill, 'PMNT-ICDT-DMCT'],
    ['fp', bill, 'PMNT-IRCT-DMCT'],
    ['sepa-credit-transfers', invoice, 'PMNT-ICDT-ESCT'],
    ['instant-sepa-credit-transfers', invoice, 'PMNT-IRCT-ESCT'],
    [
      'cross-border-credit-transfers',
      { ...invoice, creditorAgent: 'TESTFRPPXXX' },
      'PMNT-ICDT-XBCT',
    ],
  ] as const) {
    t.test(`by ${product} is booked as ${code}`, async (t) => {
      const psuId = body === bill ? noa : 'anton.brueckner'
      const endToEndIdentification = `CODE-${product}`.slice(0, 35)
      const path = await pay(product, { ...body, endToEndIdentification }, { psuId })
      // Later than all the other tests have booked.
      bank.clock.now = at('2026-12-31T18:00:00Z')
      t.match((await status(path)).transactionStatus, /^ACSC|ACCC$/)
      const applicationId = randomUUID()
      const consentId = await givenConsent(
        bank,
        { allPsd2: 'allAccounts' },
        { psuId, applicationId },
      )
      const headers = { 'consent-id': consentId }
      const { body: list } = await bank.call({ operation: 'listAccounts', headers, applicationId })
      const { body: report } = await bank.call({
        operation: 'listAccountTransactions',
        headers,
        applicationId,
        path: { 'account-id': list.accounts[0].resourceId },
        query: 'bookingStatus=booked&dateFrom=2026-11-20&itemsPerPage=500',
      })
      const entry = report.transactions.booked.find(
        ({ endToEndId }: { endToEndId?: string }) => endToEndId === endToEndIdentification,
      )
      t.equal(entry?.bankTransactionCode, code)
    })
  }

  t.test('can be read for thirteen months', async (t) => {
    const path = await pay('fp', bill)
    bank.clock.now = at('2027-12-20T08:00:00Z')
    t.equal((await status(path)).transactionStatus, 'ACCC')
    bank.clock.now = at('2027-12-21T08:00:00Z')
    const late = await bank.call({ operation: 'getPayment', path })
    t.strictSame([late.status, codeOf(late)], [403, 'RESOURCE_EXPIRED'])
  })
})

function amount(text: string) {
  return { instructedAmount: { currency: 'ILS', amount: text } }
}

function initiate(
  bank: TestBank,
  product: string,
  body: object,
  headers: object = { 'psu-id': noa },
) {
  return bank.call({
    operation: 'initiatePayment',
    version: '1.6.0',
    path: { 'payment-product': product },
    headers: { ...headers },
    body,
  })
}

interface PaidOptions {
  readonly psuId?: string
  readonly headers?: object
  /** The PSU is named when it approves, not before. */
  readonly isUnknown?: boolean
}

/** The path of a payment that its PSU has approved through the TPP. */
async function paid(bank: TestBank, product: string, body: object, options: PaidOptions) {
  const { psuId = noa, headers = {}, isUnknown = false } = options
  const named = isUnknown ? {} : { 'psu-id': psuId }
  const made = await initiate(bank, product, body, { ...headers, ...named })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await approve(bank, { psuId, href: made.body._links.scaStatus.href })
  return { 'payment-product': product, paymentId: String(made.body.paymentId) }
}

function ibanOf(alias: string): string {
  const account = sandboxPsus.find((psu) => psu.alias === alias)?.accounts[0]
  if (account === undefined) throw new Error(`${alias} has no account`)
  return account.iban
}
