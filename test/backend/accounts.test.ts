import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { codeOf, testBank } from '../support/bank.ts'
import { askConsent, givenConsent } from '../support/consent.ts'

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
    t.test(`${version}: every read of accounts answers as published`, async (t) => {
      const at = { version }
      const query = 'withBalance=true'
      const { body: list } = await read('listAccounts', seeded, { ...at, query })
      t.strictSame(
        list.accounts.map((account: { resourceId: string }) => account.resourceId),
        [main, savings, dollars],
      )
      const path = { 'account-id': main }
      const { body: one } = await read('getAccount', seeded, { ...at, path })
      t.match(one.account, {
        iban,
        ownerName: 'Noa Levi',
        displayName: 'Home',
        details: /453201xxxxxx8812/,
        _links: { balances: { href: `/v${version}/accounts/${main}/balances` } },
      })
      t.notOk(one.account.balances)
      t.equal(list.accounts[1].linkedAccounts, iban, 'savings come from the current account')
      const { body: balances } = await read('getAccountBalances', seeded, { ...at, path })
      t.strictSame(balances.balances, list.accounts[0].balances)
    })
  }

  t.test('balances are the sums of the entries', async (t) => {
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
    const [entry] = report.transactions.booked
    const newest = entry.balanceAfterTransaction.balanceAmount.amount
    t.equal(body.balances[1].lastCommittedTransaction, entry.entryReference)
    t.equal(amounts['interimBooked'], newest)
    t.equal(amounts['closingBooked'], newest, 'nothing was booked today')
    t.equal(Number(amounts['interimAvailable']), Number(newest) - 64.5 + 2000)
    t.equal(Number(amounts['expected']), Number(newest) - 64.5 + 230)
  })

  t.test('a read needs a consent that is the caller’s own and valid', async (t) => {
    const ended = await givenConsent(bank, { allPsd2: 'allAccounts' })
    const received = await askConsent(bank, { allPsd2: 'allAccounts' })
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
  })

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
      const consentId = await givenConsent(bank, access)
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
      t.equal(cards.body.cardAccounts.length, list === 3 ? 1 : 0, `${name} card accounts`)
    }
    const cards = await givenConsent(bank, { balances: [{ iban, cashAccountType: 'CARD' }] })
    t.equal((await read('listAccounts', cards)).body.accounts.length, 0)
    const path = { 'account-id': card }
    t.equal((await read('getCardAccountBalances', cards, { path })).status, 200)
    t.equal(codeOf(await read('getCardAccount', cards, { path: { 'account-id': main } })), unknown)
  })

  t.test('a consent shows the accounts that the customer chose at the bank', async (t) => {
    const consentId = await givenConsent(bank, { accounts: [], transactions: [] })
    const { body } = await bank.call({ operation: 'getConsent', path: { consentId } })
    t.strictSame(Object.keys(body.access), ['accounts', 'transactions'])
    t.strictSame(body.access.accounts, [
      { iban, currency: 'ILS' },
      { iban: 'IL910205710000000445566', currency: 'ILS' },
      { iban, currency: 'ILY' },
      { iban, currency: 'ILS', cashAccountType: 'CARD' },
    ])
    const restrictedTo = ['CACC', 'CARD']
    const narrowed = await givenConsent(bank, { accounts: [], restrictedTo })
    const { body: shown } = await bank.call({
      operation: 'getConsent',
      path: { consentId: narrowed },
    })
    t.equal(shown.access.accounts.length, 3, 'without the savings account')
    const listed = await read('listAccounts', narrowed)
    t.equal(listed.body.accounts.length, 2)
  })

  t.test('reads without the PSU are limited for each day and each resource', async (t) => {
    const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' }, { frequencyPerDay: 2 })
    const headers = { 'consent-id': consentId, 'psu-ip-address': undefined }
    const path = { 'account-id': main }
    const list = () => bank.call({ operation: 'listAccounts', headers })
    const balances = () => bank.call({ operation: 'getAccountBalances', headers, path })
    const both = await Promise.all([list(), list(), list(), list()])
    t.strictSame(both.map(({ status }) => status).sort(), [200, 200, 429, 429])
    const exceeded = await list()
    t.equal(codeOf(exceeded), 'ACCESS_EXCEEDED')
    t.match(exceeded.body.tppMessages, [{ text: /customer is present, send PSU-IP-Address/ }])
    t.equal((await balances()).status, 200)
    t.equal((await read('listAccounts', consentId)).status, 200, 'the PSU is there')
    bank.clock.now += 24 * 3_600_000
    t.equal((await list()).status, 200, 'the next day')
  })

  t.test('a one-off consent is good for two hours from its first read', async (t) => {
    const consentId = await givenConsent(
      bank,
      { allPsd2: 'allAccounts' },
      { recurringIndicator: false, frequencyPerDay: 1 },
    )
    bank.clock.now += 3 * 3_600_000
    t.equal((await read('listAccounts', consentId)).status, 200)
    const query = 'withBalance=true'
    t.equal((await read('listAccounts', consentId, { query })).status, 200, 'asked otherwise')
    const path = { 'account-id': main }
    for (const bookingStatus of ['booked', 'pending', 'booked']) {
      const query = `bookingStatus=${bookingStatus}&dateFrom=2026-01-01`
      const { status } = await read('listAccountTransactions', consentId, { path, query })
      t.equal(status, 200, bookingStatus)
    }
    bank.clock.now += 2 * 3_600_000 - 1
    t.equal((await read('getAccount', consentId, { path })).status, 200)
    const headers = { 'consent-id': consentId, 'psu-ip-address': undefined }
    const repeated = await bank.call({ operation: 'getAccount', headers, path })
    t.equal(repeated.status, 200, 'again, without the PSU')
    bank.clock.now += 1
    t.equal(
      codeOf(await read('getAccountBalances', consentId, { path: { 'account-id': main } })),
      'CONSENT_EXPIRED',
    )
  })

  t.test('an account or entry that does not exist is unknown', async (t) => {
    const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
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
