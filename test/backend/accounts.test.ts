import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { codeOf, type TestBank, testBank } from '../support/bank.ts'

const main = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'
const savings = '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10'
const dollars = 'a4c8d2b1-0e57-4f0e-b8a4-2c6b1f9e3d20'
const card = '77b1f3a0-0d55-4a2f-8d3c-20a6a3c1e901'
const iban = 'IL030205710000000200285'

t.test('accounts', async (t) => {
  const bank = await testBank(t)
  const seeded = await createSeededConsent({
    database: bank.database,
    applicationId: bank.applicationId,
    now: () => bank.clock.now,
  })

  /** A read under a consent. */
  const read = (operation: string, consentId: string, more: object = {}) =>
    bank.call({ operation, headers: { 'consent-id': consentId }, ...more })

  for (const version of ['1.6.0', '1.7.0']) {
    t.test(
      `${version}: every read of accounts and card accounts answers as published`,
      async (t) => {
        const at = { version }
        const { body: list } = await read('listAccounts', seeded, {
          ...at,
          query: 'withBalance=true',
        })
        t.strictSame(
          list.accounts.map((account: { resourceId: string }) => account.resourceId),
          [main, savings, dollars],
        )
        const path = { 'account-id': main }
        const { body: one } = await read('getAccount', seeded, { ...at, path })
        t.equal(one.account.iban, iban)
        t.equal(one.account._links.balances.href, `/v${version}/accounts/${main}/balances`)
        t.notOk(one.account.balances)
        const { body: balances } = await read('getAccountBalances', seeded, { ...at, path })
        t.strictSame(balances.balances, list.accounts[0].balances)
        const query = 'bookingStatus=all&dateFrom=2026-01-01'
        const { body: report } = await read('listAccountTransactions', seeded, {
          ...at,
          path,
          query,
        })
        t.equal(report.transactions.booked.length, 20)
        t.equal(report.transactions.pending.length, 2)
        t.equal(report.transactions.information.length, 1)
        const [newest] = report.transactions.booked
        const { body: detail } = await read('getAccountTransaction', seeded, {
          ...at,
          path: { ...path, transactionId: newest.transactionId },
        })
        const { _links, ...entry } = newest
        t.equal(
          _links.transactionDetails.href,
          `/v${version}/accounts/${main}/transactions/${newest.transactionId}`,
        )
        t.strictSame(detail.transactionsDetails.transactionDetails, entry)

        const cardPath = { 'account-id': card }
        const { body: cards } = await read('listCardAccounts', seeded, at)
        t.equal(cards.cardAccounts[0].maskedPan, '453201xxxxxx8812')
        const { body: oneCard } = await read('getCardAccount', seeded, { ...at, path: cardPath })
        t.strictSame(oneCard.cardAccount, cards.cardAccounts[0])
        await read('getCardAccountBalances', seeded, { ...at, path: cardPath })
        const { body: purchases } = await read('listCardAccountTransactions', seeded, {
          ...at,
          path: cardPath,
          query: 'bookingStatus=both&dateFrom=2026-01-01',
        })
        t.equal(purchases.cardTransactions.booked.length, 20)
        t.ok(purchases.cardTransactions.pending.length > 0)
      },
    )
  }

  t.test('balances are what the entries add up to', async (t) => {
    const path = { 'account-id': main }
    const { body } = await read('getAccountBalances', seeded, { path })
    const amounts: Record<string, string> = Object.fromEntries(
      body.balances.map((balance: { balanceType: string; balanceAmount: { amount: string } }) => [
        balance.balanceType,
        balance.balanceAmount.amount,
      ]),
    )
    const { body: report } = await read('listAccountTransactions', seeded, {
      path,
      query: 'bookingStatus=both&dateFrom=2026-01-01',
    })
    const newest = report.transactions.booked[0].balanceAfterTransaction.balanceAmount.amount
    t.equal(amounts['interimBooked'], newest)
    t.equal(amounts['closingBooked'], newest, 'nothing was booked today')
    t.equal(Number(amounts['interimAvailable']), Number(newest) - 64.5 + 2000)
    t.equal(Number(amounts['expected']), Number(newest) - 64.5 + 230)
  })

  t.test('the pages of a report hold every entry exactly once', async (t) => {
    let next: string | undefined =
      `/v1.7.0/accounts/${main}/transactions?bookingStatus=booked&dateFrom=2025-01-01`
    const seen: { transactionId: string; bookingDate: string }[] = []
    for (let pages = 0; next !== undefined; pages++) {
      t.ok(pages < 10)
      const [, query = ''] = next.split('?')
      const { body } = await read('listAccountTransactions', seeded, {
        path: { 'account-id': main },
        query,
      })
      seen.push(...body.transactions.booked)
      next = body.transactions._links.next?.href
    }
    t.ok(seen.length > 60)
    t.equal(new Set(seen.map(({ transactionId }) => transactionId)).size, seen.length)
    const days = seen.map(({ bookingDate }) => bookingDate)
    t.strictSame(days, days.toSorted().reverse(), 'newest first')
    t.ok(
      days.every((day) => day >= '2025-11-20'),
      'nothing older than is kept',
    )
  })

  t.test('what a report is asked for is checked', async (t) => {
    for (const [query, status, code] of [
      ['dateFrom=2026-01-01', 400, 'FORMAT_ERROR'],
      ['bookingStatus=some&dateFrom=2026-01-01', 400, 'FORMAT_ERROR'],
      ['bookingStatus=booked', 400, 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-02-30', 400, 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&dateFrom=2026-04-01', 400, 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&dateTo=2026-02-01', 400, 'PERIOD_INVALID'],
      ['bookingStatus=booked&deltaList=true', 400, 'PARAMETER_NOT_SUPPORTED'],
      ['bookingStatus=booked&entryReferenceFrom=2026-000001', 400, 'PARAMETER_NOT_SUPPORTED'],
      ['bookingStatus=booked&entryReferenceFrom=a&deltaList=true', 400, 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&pageIndex=-1', 400, 'FORMAT_ERROR'],
    ] as const) {
      const answer = await read('listAccountTransactions', seeded, {
        path: { 'account-id': main },
        query,
      })
      t.strictSame([answer.status, codeOf(answer)], [status, code], query)
    }
    const future = await read('listAccountTransactions', seeded, {
      path: { 'account-id': main },
      query: 'bookingStatus=both&dateFrom=2026-11-01&dateTo=2030-01-01&deltaList=true',
    })
    t.equal(future.status, 200)
    const past = await read('listAccountTransactions', seeded, {
      path: { 'account-id': main },
      query: 'bookingStatus=booked&dateFrom=0000-01-01&dateTo=0000-12-31',
    })
    t.strictSame(past.body.transactions?.booked, [])
    const information = await read('listAccountTransactions', seeded, {
      path: { 'account-id': main },
      query: 'bookingStatus=information',
    })
    t.strictSame(Object.keys(information.body.transactions), ['information', '_links'])
    const xml = await read('listAccounts', seeded, {
      headers: { 'consent-id': seeded, accept: 'application/xml' },
    })
    t.strictSame([xml.status, codeOf(xml)], [406, 'REQUESTED_FORMATS_INVALID'])
  })

  t.test(
    'a consent that is missing, unknown, foreign, not valid or ended lets nothing be read',
    async (t) => {
      const ended = await give(bank, { allPsd2: 'allAccounts' })
      const received = await ask(bank, { allPsd2: 'allAccounts' })
      await bank.call({ operation: 'deleteConsent', path: { consentId: ended } })
      const foreign = await createSeededConsent({
        database: bank.database,
        applicationId: randomUUID(),
        now: () => bank.clock.now,
      })
      for (const [operation, path] of [
        ['listAccounts', {}],
        ['getAccount', { 'account-id': main }],
        ['listCardAccounts', {}],
        ['getCardAccountBalances', { 'account-id': card }],
      ] as const) {
        for (const [consentId, status, code] of [
          [undefined, 400, 'FORMAT_ERROR'],
          ['nonsense', 400, 'CONSENT_UNKNOWN'],
          [randomUUID(), 400, 'CONSENT_UNKNOWN'],
          [foreign, 400, 'CONSENT_UNKNOWN'],
          [received, 401, 'CONSENT_INVALID'],
          [ended, 401, 'CONSENT_INVALID'],
        ] as const) {
          const headers = { 'consent-id': consentId }
          const answer = await bank.call({ operation, path, headers })
          t.strictSame([answer.status, codeOf(answer)], [status, code], `${operation} ${code}`)
        }
      }
    },
  )

  t.test('each access grants exactly the reads of the rights matrix', async (t) => {
    const ok = 200
    const lacking = 'CONSENT_INVALID'
    const unknown = 'RESOURCE_UNKNOWN'
    for (const [access, list, detail, balances, transactions, withBalance, other] of [
      [{ accounts: [{ iban, currency: 'ILS' }] }, 1, ok, lacking, lacking, lacking, unknown],
      [{ balances: [{ iban, currency: 'ILS' }] }, 1, ok, ok, lacking, ok, unknown],
      [{ transactions: [{ iban, currency: 'ILS' }] }, 1, ok, lacking, ok, lacking, unknown],
      [{ accounts: [{ iban }] }, 2, ok, lacking, lacking, lacking, unknown],
      [{ availableAccounts: 'allAccounts' }, 3, lacking, lacking, lacking, lacking, lacking],
      [{ availableAccountsWithBalance: 'allAccounts' }, 3, lacking, lacking, lacking, ok, lacking],
      [{ allPsd2: 'allAccounts' }, 3, ok, ok, ok, ok, ok],
      [{ accounts: [], balances: [], transactions: [] }, 3, ok, ok, ok, ok, ok],
      [{ accounts: [] }, 3, ok, lacking, lacking, lacking, ok],
      [{ balances: [] }, 3, ok, ok, lacking, ok, ok],
    ] as const) {
      const name = JSON.stringify(access)
      const consentId = await give(bank, access)
      const listed = await read('listAccounts', consentId)
      t.equal(listed.body.accounts.length, list, name)
      const path = { 'account-id': main }
      const query = 'bookingStatus=booked&dateFrom=2026-11-01'
      for (const [operation, expected, more] of [
        ['getAccount', detail, { path }],
        ['getAccountBalances', balances, { path }],
        ['listAccountTransactions', transactions, { path, query }],
        ['listAccounts', withBalance, { query: 'withBalance=true' }],
        ['getAccount', other, { path: { 'account-id': savings } }],
      ] as const) {
        const answer = await read(operation, consentId, more)
        t.equal(answer.status === 200 ? 200 : codeOf(answer), expected, `${name} ${operation}`)
      }
      if (detail === ok) {
        const { body } = await read('getAccount', consentId, { path })
        t.strictSame(
          Object.keys(body.account._links),
          [
            ...(balances === ok ? ['balances'] : []),
            ...(transactions === ok ? ['transactions'] : []),
          ],
          'links are the reads that are allowed',
        )
      }
      const cards = await read('listCardAccounts', consentId)
      t.equal(
        cards.body.cardAccounts.length,
        'accounts' in access && list < 3 ? 0 : list === 3 ? 1 : 0,
      )
    }
    const cards = await give(bank, { balances: [{ iban, cashAccountType: 'CARD' }] })
    t.equal((await read('listAccounts', cards)).body.accounts.length, 0)
    const path = { 'account-id': card }
    t.equal((await read('getCardAccountBalances', cards, { path })).status, 200)
    t.equal(codeOf(await read('getCardAccount', cards, { path: { 'account-id': main } })), unknown)
  })

  t.test('what a bank-offered consent was given is shown by the consent', async (t) => {
    const consentId = await give(bank, { accounts: [], transactions: [] })
    const { body } = await bank.call({ operation: 'getConsent', path: { consentId } })
    t.strictSame(Object.keys(body.access), ['accounts', 'transactions'])
    t.equal(body.access.accounts.length, 4)
    const restrictedTo = ['CACC', 'CARD']
    const narrowed = await give(bank, { accounts: [], restrictedTo })
    const { body: shown } = await bank.call({
      operation: 'getConsent',
      path: { consentId: narrowed },
    })
    t.equal(shown.access.accounts.length, 3, 'without the savings account')
    const listed = await read('listAccounts', narrowed)
    t.equal(listed.body.accounts.length, 2)
  })

  t.test('reads without the PSU are counted per day and per thing that is read', async (t) => {
    const consentId = await give(bank, { allPsd2: 'allAccounts' }, { frequencyPerDay: 2 })
    const headers = { 'consent-id': consentId, 'psu-ip-address': undefined }
    const path = { 'account-id': main }
    const list = () => bank.call({ operation: 'listAccounts', headers })
    const balances = () => bank.call({ operation: 'getAccountBalances', headers, path })
    const both = await Promise.all([list(), list(), list(), list()])
    t.strictSame(both.map(({ status }) => status).sort(), [200, 200, 429, 429])
    t.equal(codeOf(await list()), 'ACCESS_EXCEEDED')
    t.equal((await balances()).status, 200)
    t.equal((await read('listAccounts', consentId)).status, 200, 'the PSU is there')
    bank.clock.now += 24 * 3_600_000
    t.equal((await list()).status, 200, 'the next day')
  })

  t.test('each page of a report is counted by itself', async (t) => {
    const page = (consentId: string, operation: string, index: number) =>
      bank.call({
        operation,
        headers: { 'consent-id': consentId, 'psu-ip-address': undefined },
        path: { 'account-id': operation === 'listAccountTransactions' ? main : card },
        query: `bookingStatus=booked&dateFrom=2026-01-01&itemsPerPage=5&pageIndex=${index}`,
      })
    for (const operation of ['listAccountTransactions', 'listCardAccountTransactions']) {
      const consentId = await give(bank, { allPsd2: 'allAccounts' }, { frequencyPerDay: 1 })
      for (const index of [1, 0, 2]) {
        t.equal((await page(consentId, operation, index)).status, 200)
        t.equal(codeOf(await page(consentId, operation, index)), 'ACCESS_EXCEEDED')
      }
    }
    const oneOff = { recurringIndicator: false, frequencyPerDay: 1 }
    const consentId = await give(bank, { allPsd2: 'allAccounts' }, oneOff)
    t.equal((await page(consentId, 'listAccountTransactions', 1)).status, 200)
    bank.clock.now += 2 * 3_600_000
    const late = await page(consentId, 'listAccountTransactions', 2)
    t.equal(codeOf(late), 'CONSENT_EXPIRED', 'the clock of a one-off consent runs from it')
  })

  t.test('a one-off consent is good for two hours from its first read', async (t) => {
    const consentId = await give(
      bank,
      { allPsd2: 'allAccounts' },
      { recurringIndicator: false, frequencyPerDay: 1 },
    )
    bank.clock.now += 3 * 3_600_000
    t.equal((await read('listAccounts', consentId)).status, 200)
    t.equal(codeOf(await read('listAccounts', consentId)), 'ACCESS_EXCEEDED')
    bank.clock.now += 2 * 3_600_000 - 1
    t.equal((await read('getAccount', consentId, { path: { 'account-id': main } })).status, 200)
    bank.clock.now += 1
    t.equal(
      codeOf(await read('getAccountBalances', consentId, { path: { 'account-id': main } })),
      'CONSENT_EXPIRED',
    )
  })

  t.test('an account or entry that does not exist is unknown', async (t) => {
    const consentId = await give(bank, { allPsd2: 'allAccounts' })
    const ids = [randomUUID(), 'x', '0'.repeat(512)]
    for (const id of ids) {
      const account = await read('getAccount', consentId, { path: { 'account-id': id } })
      t.strictSame([account.status, codeOf(account)], [404, 'RESOURCE_UNKNOWN'])
      const entry = await read('getAccountTransaction', consentId, {
        path: { 'account-id': main, transactionId: id },
      })
      t.strictSame([entry.status, codeOf(entry)], [404, 'RESOURCE_UNKNOWN'])
    }
  })
})

async function ask(bank: TestBank, access: object, change: object = {}): Promise<string> {
  const { body } = await bank.call({
    operation: 'createConsent',
    headers: { 'psu-id': '305567661', 'tpp-decoupled-preferred': 'true' },
    body: {
      access,
      recurringIndicator: true,
      validUntil: '2027-05-31',
      frequencyPerDay: 4,
      combinedServiceIndicator: false,
      ...change,
    },
  })
  return body.consentId
}

async function give(bank: TestBank, access: object, change: object = {}): Promise<string> {
  const consentId = await ask(bank, access, change)
  bank.clock.now += 2000
  return consentId
}
