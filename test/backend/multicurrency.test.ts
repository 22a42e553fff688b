import t from 'tap'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { codeOf, type TestBank, testBank } from '../support/bank.ts'
import { givenConsent } from '../support/consent.ts'

const psuId = 'PSU-Multicurrency'
const accounts = sandboxPsus.find(({ alias }) => alias === psuId)?.accounts ?? []
const iban = accounts[0]?.iban ?? ''
const idOf = (currency: string) => accounts.find((one) => one.currency === currency)?.id ?? ''
const currencies = ['ILS', 'EUR', 'USD']
const gathering = idOf('XXX')

interface Entry {
  readonly transactionId: string
  readonly entryReference: string
  readonly bookingDate: string
  readonly transactionAmount: { readonly currency: string; readonly amount: string }
  readonly _links: { readonly transactionDetails: { readonly href: string } }
}

t.test('a multicurrency account', async (t) => {
  const bank = await testBank(t)

  t.test('is named as a whole, by sub-account, or by what gathers them', async (t) => {
    for (const [reference, named] of [
      [{ iban }, [...currencies, 'XXX']],
      [{ iban, currency: 'XXX' }, ['XXX']],
      [{ iban, currency: 'EUR' }, ['EUR']],
      [{ iban, currency: 'ILY' }, ['EUR', 'USD']],
    ] as const) {
      const consentId = await givenConsent(bank, { accounts: [reference] }, { psuId })
      const { body } = await bank.call({
        operation: 'listAccounts',
        headers: { 'consent-id': consentId },
      })
      t.strictSame(
        body.accounts.map((account: { iban: string; currency: string }) => [
          account.iban,
          account.currency,
        ]),
        named.map((currency) => [iban, currency]),
        JSON.stringify(reference),
      )
    }
  })

  t.test('is shown in a consent by the currencies that references can have', async (t) => {
    const consentId = await givenConsent(bank, { accounts: [] }, { psuId })
    const { body } = await bank.call({ operation: 'getConsent', path: { consentId } })
    t.strictSame(body.access.accounts, [
      { iban, currency: 'ILS' },
      { iban, currency: 'ILY' },
      { iban },
    ])
  })

  t.test('shows nothing of its sub-accounts beyond the rights on itself', async (t) => {
    const reference = { iban, currency: 'XXX' }
    const consentId = await givenConsent(bank, { balances: [reference] }, { psuId })
    const read = (operation: string, id: string) =>
      bank.call({
        operation,
        headers: { 'consent-id': consentId },
        path: { 'account-id': id },
        ...(operation === 'listAccountTransactions'
          ? { query: 'bookingStatus=booked&dateFrom=2026-01-01' }
          : {}),
      })
    t.equal((await read('getAccountBalances', gathering)).status, 200)
    t.equal(codeOf(await read('listAccountTransactions', gathering)), 'CONSENT_INVALID')
    for (const currency of currencies) {
      t.equal(codeOf(await read('getAccountBalances', idOf(currency))), 'RESOURCE_UNKNOWN')
    }
  })

  t.test('has the balances of its sub-accounts', async (t) => {
    const { read } = await readerOf(bank)
    const { body } = await read('getAccountBalances', gathering)
    t.strictSame(body.account, { iban, currency: 'XXX' })
    const parts = []
    for (const currency of currencies) {
      parts.push(...(await read('getAccountBalances', idOf(currency))).body.balances)
    }
    t.equal(parts.length, 12)
    const comparable = ({ lastCommittedTransaction: _, ...rest }: Record<string, unknown>) => rest
    t.strictSame(body.balances.map(comparable), parts.map(comparable))
    const { body: list } = await read('listAccounts', undefined, 'withBalance=true')
    t.strictSame(list.accounts[3].balances, body.balances)
  })

  t.test('has all entries of its sub-accounts, each once, newest first', async (t) => {
    const { as, read, everyPage } = await readerOf(bank)
    const whole = await everyPage(gathering, 'bookingStatus=booked&dateFrom=2026-01-01')
    const parts: Entry[] = []
    for (const currency of currencies) {
      parts.push(...(await everyPage(idOf(currency), 'bookingStatus=booked&dateFrom=2026-01-01')))
    }
    t.ok(whole.length > 80)
    const idsOf = (entries: readonly Entry[]) => entries.map((entry) => entry.transactionId).sort()
    t.strictSame(idsOf(whole), idsOf(parts))
    const days = whole.map(({ bookingDate }) => bookingDate)
    t.strictSame(days, days.toSorted().reverse())
    t.equal(new Set(whole.map(({ entryReference }) => entryReference)).size, whole.length)
    t.strictSame(
      [...new Set(whole.map((entry) => entry.transactionAmount.currency))].sort(),
      currencies.toSorted(),
    )

    const [newest] = whole
    if (newest === undefined) throw new Error('no entries')
    t.match(newest._links.transactionDetails.href, gathering)
    const { body } = await bank.call({
      ...as,
      operation: 'getAccountTransaction',
      path: { 'account-id': gathering, transactionId: newest.transactionId },
    })
    const { _links, ...entry } = newest
    t.strictSame(body.transactionsDetails.transactionDetails, entry)

    const { body: rest } = await read(
      'listAccountTransactions',
      gathering,
      'bookingStatus=all&dateFrom=2026-01-01',
    )
    t.equal(rest.transactions.pending.length, 2)
    t.equal(rest.transactions.information.length, 3)
  })

  t.test('offers deltas of its sub-accounts, not of what gathers them', async (t) => {
    const { read } = await readerOf(bank)
    for (const [query, code] of [
      ['deltaList=true', 'PARAMETER_NOT_SUPPORTED'],
      ['entryReferenceFrom=2026-000001-EUR', 'PARAMETER_NOT_SUPPORTED'],
      ['entryReferenceFrom=2026-000001&deltaList=true', 'FORMAT_ERROR'],
    ] as const) {
      const all = `bookingStatus=booked&${query}`
      const answer = await read('listAccountTransactions', gathering, all)
      t.strictSame([answer.status, codeOf(answer)], [400, code], query)
    }
    const dated = 'bookingStatus=booked&deltaList=true&dateFrom=2026-11-01'
    t.equal((await read('listAccountTransactions', gathering, dated)).status, 200)
    const since = 'bookingStatus=booked&deltaList=true'
    t.equal((await read('listAccountTransactions', idOf('EUR'), since)).status, 200)
  })

  t.test('pays and is paid on the sub-account of the currency only', async (t) => {
    const { everyPage } = await readerOf(bank)
    const named = (id: string) =>
      everyPage(id, 'bookingStatus=booked&dateFrom=2026-11-20').then((entries) =>
        entries.map((entry) => [entry.transactionAmount.currency, entry.transactionAmount.amount]),
      )
    const own = { debtorAccount: { iban }, creditorAccount: { iban: 'IL030205710000000200285' } }
    const theirs = { creditorAccount: { iban } }
    for (const [payer, body] of [
      [psuId, own],
      ['305567661', theirs],
    ] as const) {
      const made = await pay(bank, payer, { currency: 'ILS', amount: '25' }, body)
      t.equal(made.status, 201)
      bank.clock.now += 2000
      await bank.call({
        operation: 'getPaymentStatus',
        path: { 'payment-product': 'fp', paymentId: made.body.paymentId },
      })
      bank.clock.now += 10_000
    }
    const moved = [
      ['ILS', '25.00'],
      ['ILS', '-25.00'],
    ]
    t.strictSame(await named(idOf('ILS')), moved)
    t.strictSame(await named(gathering), moved)
    t.strictSame(await named(idOf('EUR')), [])

    for (const [amount, debtorAccount] of [
      [
        { currency: 'ILS', amount: '25' },
        { iban, currency: 'XXX' },
      ],
      [
        { currency: 'XXX', amount: '25' },
        { iban, currency: 'XXX' },
      ],
      [{ currency: 'XXX', amount: '25' }, { iban }],
    ] as const) {
      const refused = await pay(bank, psuId, amount, { ...own, debtorAccount })
      t.equal(refused.status, 400, JSON.stringify(amount))
    }
  })
})

/** Reads under a consent to all accounts of the person. */
async function readerOf(bank: TestBank) {
  const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' }, { psuId })
  const as = { headers: { 'consent-id': consentId } }
  const read = (operation: string, id?: string, query?: string) =>
    bank.call({
      operation,
      ...as,
      ...(id === undefined ? {} : { path: { 'account-id': id } }),
      ...(query === undefined ? {} : { query }),
    })

  async function everyPage(id: string, query: string): Promise<Entry[]> {
    const seen: Entry[] = []
    for (let next: string | undefined = query; next !== undefined; ) {
      const { body } = await read('listAccountTransactions', id, next)
      seen.push(...body.transactions.booked)
      next = body.transactions._links.next?.href.split('?')[1]
    }
    return seen
  }

  return { as, read, everyPage }
}

function pay(bank: TestBank, payer: string, instructedAmount: object, body: object) {
  return bank.call({
    operation: 'initiatePayment',
    path: { 'payment-product': 'fp' },
    headers: { 'psu-id': payer, 'tpp-decoupled-preferred': 'true' },
    body: {
      instructedAmount,
      creditorName: 'Liat Shapira',
      remittanceInformationUnstructured: 'Lunch',
      ...body,
    },
  })
}
