import t from 'tap'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { codeOf, testBank } from '../support/bank.ts'
import { givenConsent } from '../support/consent.ts'

const card = '77b1f3a0-0d55-4a2f-8d3c-20a6a3c1e901'
const path = { 'account-id': card }

t.test('card accounts', async (t) => {
  const bank = await testBank(t)
  const seeded = await createSeededConsent({
    database: bank.database,
    applicationId: bank.applicationId,
    now: () => bank.clock.now,
  })

  /** A read under the seeded consent. */
  const read = (operation: string, more: object = {}) =>
    bank.call({ operation, headers: { 'consent-id': seeded }, ...more })

  for (const version of ['1.6.0', '1.7.0']) {
    t.test(`${version}: every read of card accounts answers as published`, async (t) => {
      const at = { version, path }
      const { body: cards } = await read('listCardAccounts', { version })
      t.match(cards.cardAccounts, [
        { maskedPan: '453201xxxxxx8812', displayName: 'Everyday card', details: /IL0302/ },
      ])
      const { body: one } = await read('getCardAccount', at)
      t.strictSame(one.cardAccount, cards.cardAccounts[0])
      await read('getCardAccountBalances', at)
      const { body: purchases } = await read('listCardAccountTransactions', {
        ...at,
        query: 'bookingStatus=both&dateFrom=2026-01-01',
      })
      t.equal(purchases.cardTransactions.booked.length, 20)
      const { pending } = purchases.cardTransactions
      t.ok(pending.length > 0)
      for (const { acceptorTransactionDateTime: time } of pending) {
        t.ok(Date.parse(time) <= bank.clock.now, `${time} is not in the future`)
      }
    })
  }

  t.test('the pages of a report hold every entry exactly once', async (t) => {
    let query: string | undefined = 'bookingStatus=booked&dateFrom=2025-01-01&itemsPerPage=7'
    const seen: { cardTransactionId: string; bookingDate: string }[] = []
    for (let pages = 0; query !== undefined; pages++) {
      t.ok(pages < 10)
      const { body } = await read('listCardAccountTransactions', { path, query })
      seen.push(...body.cardTransactions.booked)
      query = body.cardTransactions._links.next?.href.split('?')[1]
    }
    // One purchase a week; today's is pending.
    t.equal(seen.length, 52)
    t.equal(new Set(seen.map(({ cardTransactionId }) => cardTransactionId)).size, seen.length)
    const days = seen.map(({ bookingDate }) => bookingDate)
    t.strictSame(days, days.toSorted().reverse(), 'newest first')
  })

  t.test('each balance adds up from the entries', async (t) => {
    const { body } = await read('getCardAccountBalances', { path })
    const { body: report } = await read('listCardAccountTransactions', {
      path,
      query: 'bookingStatus=both&dateFrom=2025-01-01&itemsPerPage=500',
    })
    const sum = (entries: { transactionAmount: { amount: string } }[]) =>
      entries.reduce((total, entry) => total + Number(entry.transactionAmount.amount), 0).toFixed(2)
    const { booked, pending } = report.cardTransactions
    const open = booked.filter((entry: { invoiced: boolean }) => !entry.invoiced)
    const due = booked.filter(
      (entry: { invoiced: boolean; valueDate: string }) =>
        entry.invoiced && entry.valueDate >= '2026-11-20',
    )
    t.strictSame(
      body.balances.map((balance: { balanceType: string; balanceAmount: { amount: string } }) => [
        balance.balanceType,
        balance.balanceAmount.amount,
      ]),
      [
        ['closingBooked', sum(due)],
        ['nonInvoiced', sum(open)],
        ['expected', sum([...due, ...open, ...pending])],
        ['interimAvailable', (20_000 + Number(sum([...due, ...open]))).toFixed(2)],
      ],
    )
  })

  t.test(
    'a purchase abroad shows its original amount, the exchange rate and the fee',
    async (t) => {
      const { body } = await read('listCardAccountTransactions', {
        path,
        query: 'bookingStatus=booked&dateFrom=2026-10-01',
      })
      const { booked } = body.cardTransactions
      const abroad = booked.filter((entry: { originalAmount?: object }) => entry.originalAmount)
      t.ok(abroad.length > 0)
      for (const entry of abroad) {
        const [exchange] = entry.currencyExchange
        t.match(exchange, { sourceCurrency: 'USD', unitCurrency: 'USD', targetCurrency: 'ILS' })
        t.equal(exchange.quotationDate, entry.transactionDate)
        const net = Number(entry.originalAmount.amount) * Number(exchange.exchangeRate)
        const fee = net * (Number(entry.markupFeePercentage) / 100)
        t.equal(fee.toFixed(2), entry.markupFee.amount)
        t.equal((net + fee).toFixed(2), entry.transactionAmount.amount)
        t.strictSame(entry.grandTotalAmount, entry.transactionAmount)
      }
      const atHome = booked.filter((entry: { originalAmount?: object }) => !entry.originalAmount)
      for (const entry of atHome) {
        t.match(entry.terminalId, /^\d{8}$/)
        t.notOk(entry.currencyExchange ?? entry.markupFee)
      }
    },
  )

  t.test('a report refuses requests for deltas and invalid parameters', async (t) => {
    for (const [query, code] of [
      ['dateFrom=2026-01-01', 'FORMAT_ERROR'],
      ['bookingStatus=information&dateFrom=2026-01-01', 'FORMAT_ERROR'],
      ['bookingStatus=booked', 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&dateTo=2026-02-01', 'PERIOD_INVALID'],
      ['bookingStatus=booked&deltaList=true', 'PARAMETER_NOT_SUPPORTED'],
      ['bookingStatus=booked&entryReferenceFrom=2026-000001', 'PARAMETER_NOT_SUPPORTED'],
      ['bookingStatus=booked&entryReferenceFrom=a&deltaList=true', 'FORMAT_ERROR'],
    ] as const) {
      const answer = await read('listCardAccountTransactions', { path, query })
      t.strictSame([answer.status, codeOf(answer)], [400, code], query)
    }
    const { body: asked } = await read('listCardAccountTransactions', {
      path,
      query: 'dateFrom=2026-01-01',
    })
    t.match(asked.tppMessages, [
      { path: 'bookingStatus', text: 'Is required: one of "booked", "pending", "both"' },
    ])
    const whole = await read('listCardAccountTransactions', {
      path,
      query: 'bookingStatus=booked&dateFrom=2026-01-01&deltaList=true',
    })
    t.equal(whole.body.cardTransactions.booked.length, 20, 'with dateFrom ignored')
    const pending = await read('listCardAccountTransactions', {
      path,
      query: 'bookingStatus=pending&dateFrom=2026-01-01',
    })
    t.strictSame(pending.body.cardTransactions.booked, [])
  })

  t.test('reads of different pages of a report count separately', async (t) => {
    const consentId = await givenConsent(
      bank,
      { allPsd2: 'allAccounts' },
      { frequencyPerDay: 1, applicationId: 'counted' },
    )
    const page = (index: number) =>
      bank.call({
        operation: 'listCardAccountTransactions',
        applicationId: 'counted',
        headers: { 'consent-id': consentId, 'psu-ip-address': undefined },
        path,
        query: `bookingStatus=booked&dateFrom=2026-01-01&itemsPerPage=5&pageIndex=${index}`,
      })
    for (const index of [1, 0, 2]) {
      t.equal((await page(index)).status, 200)
      t.equal(codeOf(await page(index)), 'ACCESS_EXCEEDED')
    }
  })
})
