import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { createBankStores } from '../../src/backend/stores/bank-stores.ts'
import { codeOf, type TestAnswer, type TestBank, testBank } from '../support/bank.ts'
import { givenConsent } from '../support/consent.ts'
import { postgresMissing } from '../support/database.ts'

const main = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'
const savings = '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10'
/** An account of Maya Gabay without entries. */
const quiet = '0d9f5f0e-6c64-4d0c-8a5e-7b1f5b0a1b06'
const maya = 'PSU-NoTransactions'
const all = { allPsd2: 'allAccounts' }

interface Entry {
  readonly transactionId: string
  readonly entryReference: string
  readonly bookingDate: string
  readonly valueDate: string
  readonly remittanceInformationUnstructured: string
}

const bank = await testBank(t)

t.test('transactions', async (t) => {
  const seeded = await createSeededConsent({
    database: bank.database,
    applicationId: bank.applicationId,
    now: () => bank.clock.now,
  })
  const report = (query: string, more: object = {}) =>
    bank.call({
      operation: 'listAccountTransactions',
      headers: { 'consent-id': seeded },
      path: { 'account-id': main },
      query,
      ...more,
    })

  for (const version of ['1.6.0', '1.7.0']) {
    t.test(`${version}: a report and one of its entries answer as published`, async (t) => {
      const { body } = await report('bookingStatus=all&dateFrom=2026-01-01', { version })
      const { booked, pending, information } = body.transactions
      t.equal(booked.length, 20)
      t.equal(pending.length, 2)
      t.equal(information.length, 3)
      const [newest] = booked
      const { body: detail } = await report('', {
        version,
        operation: 'getAccountTransaction',
        path: { 'account-id': main, transactionId: newest.transactionId },
      })
      const { _links, ...entry } = newest
      t.equal(
        _links.transactionDetails.href,
        `/v${version}/accounts/${main}/transactions/${newest.transactionId}`,
      )
      t.strictSame(detail.transactionsDetails.transactionDetails, entry)
    })
  }

  t.test('the pages of a report hold every entry exactly once', async (t) => {
    const seen = await everyPage(report, 'bookingStatus=booked&dateFrom=2025-01-01')
    t.ok(seen.length > 60)
    checkOrder(t, seen)
    t.ok(
      seen.every(({ bookingDate }) => bookingDate >= '2025-11-20'),
      'nothing older than is kept',
    )
    const days = 'dateFrom=2026-02-05&dateTo=2026-04-05'
    const some = await everyPage(report, `bookingStatus=booked&${days}&itemsPerPage=3`)
    t.strictSame(
      some,
      seen.filter(({ bookingDate: day }) => day >= '2026-02-05' && day <= '2026-04-05'),
    )
  })

  t.test('accounts in Israel have Hebrew entries, names and mixed text', async (t) => {
    const { body } = await report('bookingStatus=both&dateFrom=2026-01-01&itemsPerPage=100')
    const entries = [...body.transactions.booked, ...body.transactions.pending]
    const hebrew = /^[^A-Za-z]*\p{Script=Hebrew}/u
    t.ok(entries.every((entry) => hebrew.test(entry.remittanceInformationUnstructured)))
    t.ok(entries.some(({ creditorName = '' }) => hebrew.test(creditorName)))
    const mixed = 'חבילת 5G 10/2026'
    t.ok(textsOf(entries).includes(mixed), mixed)
    const consentId = await givenConsent(bank, all, { psuId: 'PSU-Multicurrency' })
    const headers = { 'consent-id': consentId }
    const { body: list } = await bank.call({ operation: 'listAccounts', headers })
    t.equal(list.accounts[0].ownerName, 'ליאת שפירא')
  })

  t.test('standing orders say how often they pay, until when, and what holidays do', async (t) => {
    const { body } = await report('bookingStatus=information')
    t.strictSame(Object.keys(body.transactions), ['information', '_links'])
    t.match(body.transactions.information, [
      {
        transactionAmount: { currency: 'ILS', amount: '-4300.00' },
        bankTransactionCode: 'PMNT-ICDT-STDO',
        additionalInformationStructured: {
          standingOrderDetails: { startDate: '2025-10-02', frequency: 'Monthly' },
        },
      },
      { remittanceInformationUnstructured: 'חיסכון' },
      {
        additionalInformationStructured: {
          standingOrderDetails: {
            startDate: '2027-01-15',
            endDate: '2028-10-15',
            frequency: 'Quarterly',
            executionRule: 'following',
            dayOfExecution: '15',
          },
        },
      },
    ])
    const answer = await report('bookingStatus=information', { path: { 'account-id': savings } })
    t.match(answer, {
      status: 400,
      body: { tppMessages: [{ code: 'PARAMETER_NOT_SUPPORTED', path: 'bookingStatus' }] },
    })
    const whole = await report('bookingStatus=all&dateFrom=2026-01-01', {
      path: { 'account-id': savings },
    })
    t.strictSame(whole.body.transactions.information, [])
  })

  t.test('what a report is asked for is checked', async (t) => {
    for (const [query, code] of [
      ['dateFrom=2026-01-01', 'FORMAT_ERROR'],
      ['bookingStatus=some&dateFrom=2026-01-01', 'FORMAT_ERROR'],
      ['bookingStatus=booked', 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-02-30', 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&dateFrom=2026-04-01', 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&dateTo=2026-02-01', 'PERIOD_INVALID'],
      ['bookingStatus=booked&entryReferenceFrom=a&deltaList=true', 'FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-03-01&pageIndex=-1', 'FORMAT_ERROR'],
    ] as const) {
      const answer = await report(query)
      t.strictSame([answer.status, codeOf(answer)], [400, code], query)
    }
    const { body: early } = await report('bookingStatus=both&dateFrom=2026-11-21')
    const text = 'Lies in the future'
    t.match(early.tppMessages, [{ code: 'PERIOD_INVALID', path: 'dateFrom', text }])
    const future = await report('bookingStatus=both&dateFrom=2026-11-01&dateTo=2030-01-01')
    t.equal(future.status, 200)
    for (const query of [
      'bookingStatus=booked&dateFrom=0000-01-01&dateTo=0000-12-31',
      'bookingStatus=booked&dateFrom=2029-01-01&dateTo=2030-01-01',
      'bookingStatus=booked&dateFrom=2026-01-01&pageIndex=2147483647&itemsPerPage=500',
    ]) {
      t.strictSame((await report(query)).body.transactions?.booked, [], query)
    }
  })

  t.test('links to other pages repeat published parameters only', async (t) => {
    const query = 'bookingStatus=booked&dateFrom=2026-01-01&itemsPerPage=5'
    const { body } = await report(`${query}&${'a=1&'.repeat(1000)}`)
    t.equal(body.transactions._links.next.href.split('?')[1], `${query}&pageIndex=1`)
  })

  t.test('an entry that does not exist is unknown', async (t) => {
    const { body } = await report('bookingStatus=booked&dateFrom=2026-01-01', {
      path: { 'account-id': savings },
    })
    const [{ transactionId: foreign }] = body.transactions.booked
    for (const transactionId of [randomUUID(), foreign, 'x', '0'.repeat(512)]) {
      const answer = await report('', {
        operation: 'getAccountTransaction',
        path: { 'account-id': main, transactionId },
      })
      t.strictSame([answer.status, codeOf(answer)], [404, 'RESOURCE_UNKNOWN'])
    }
  })

  t.test('reads of different pages of a report count separately', async (t) => {
    const applicationId = 'counted'
    const page = (consentId: string, index: number) =>
      report(`bookingStatus=booked&dateFrom=2026-01-01&itemsPerPage=5&pageIndex=${index}`, {
        applicationId,
        headers: { 'consent-id': consentId, 'psu-ip-address': undefined },
      })
    const consentId = await givenConsent(bank, all, { frequencyPerDay: 1, applicationId })
    for (const index of [1, 0, 2]) {
      t.equal((await page(consentId, index)).status, 200)
      t.equal(codeOf(await page(consentId, index)), 'ACCESS_EXCEEDED')
    }
    const oneOff = { recurringIndicator: false, frequencyPerDay: 1, applicationId }
    const once = await givenConsent(bank, all, oneOff)
    t.equal((await page(once, 1)).status, 200)
    bank.clock.now += 2 * 3_600_000
    const late = await page(once, 2)
    t.equal(codeOf(late), 'CONSENT_EXPIRED', 'the clock of a one-off consent runs from it')
  })
})

t.test('an account with 10,000 entries', async (t) => {
  await nothingMoved()
  await fill(bank, 10_000)
  const consentId = await givenConsent(bank, all, { psuId: maya })
  const report = reportOf(bank, consentId)

  t.test('is read whole by following the links, every entry once, newest first', async (t) => {
    const query = 'bookingStatus=booked&dateFrom=2025-01-01&itemsPerPage=500'
    const seen = await everyPage(report, query)
    t.equal(seen.length, 10_000)
    checkOrder(t, seen)
    const { body } = await report(`${query}&pageIndex=19`)
    t.notOk(body.transactions._links.next)
    t.equal(body.transactions.booked.at(-1).entryReference, '2025-000001')
  })

  t.test('has the same balances as one with few', async (t) => {
    const { body } = await bank.call({
      operation: 'getAccountBalances',
      headers: { 'consent-id': consentId },
      path: { 'account-id': quiet },
    })
    t.match(body.balances, [
      { balanceType: 'closingBooked', balanceAmount: { amount: '10000.00' } },
      { balanceType: 'interimBooked', lastCommittedTransaction: '2026-010000' },
    ])
  })
})

t.test('what is booked', async (t) => {
  await nothingMoved()
  const consentId = await givenConsent(bank, all, { psuId: maya })
  const report = reportOf(bank, consentId)

  t.test('is numbered in the order of its days: what comes late takes the later day', async (t) => {
    for (const [text, day] of [
      ['first', '2026-11-17'],
      ['second', '2026-11-19'],
      ['late', '2026-11-18'],
    ] as const) {
      await book(bank, text, day)
    }
    const seen = await everyPage(report, 'bookingStatus=booked&dateFrom=2026-11-01')
    t.match(seen, [
      { entryReference: '2026-000003', bookingDate: '2026-11-19', valueDate: '2026-11-18' },
      { entryReference: '2026-000002', bookingDate: '2026-11-19', valueDate: '2026-11-19' },
      { entryReference: '2026-000001', bookingDate: '2026-11-17' },
    ])
    const none = await everyPage(
      report,
      'bookingStatus=booked&dateFrom=2026-11-18&dateTo=2026-11-18',
    )
    t.strictSame(none, [])
  })

  t.test('at the same time has one number each, and the balance adds up', async (t) => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => book(bank, `${at}`, '2026-11-20')))
    const seen = await everyPage(report, 'bookingStatus=booked&dateFrom=2026-11-01&itemsPerPage=4')
    t.equal(seen.length, 11)
    checkOrder(t, seen)
    const { body } = await report('bookingStatus=booked&dateFrom=2026-11-01&withBalance=true')
    t.match(body.balances, [
      { balanceType: 'closingBooked', balanceAmount: { amount: '3.00' } },
      { balanceAmount: { amount: '11.00' }, lastCommittedTransaction: '2026-000011' },
    ])
  })
})

t.test('entryReferenceFrom', async (t) => {
  const bank = await testBank(t)
  const consentId = await givenConsent(bank, all, { psuId: maya })
  const report = reportOf(bank, consentId)
  for (let at = 1; at <= 9; at++) await book(bank, `${at}`, '2026-11-18')

  t.test('has everything booked after the entry, whatever the dates say', async (t) => {
    const query = 'bookingStatus=both&entryReferenceFrom=2026-000004&itemsPerPage=2'
    const seen = await everyPage(report, query)
    t.strictSame(textsOf(seen), ['9', '8', '7', '6', '5'])
    const dated = await report(`${query}&dateFrom=2026-11-19&dateTo=2026-11-01`)
    t.equal(dated.status, 200)
    t.equal(dated.body.transactions.booked.length, 2)
    const newest = await report('bookingStatus=booked&entryReferenceFrom=2026-000009')
    t.strictSame(newest.body.transactions.booked, [])
  })

  t.test('of an unknown entry is refused', async (t) => {
    for (const reference of [
      '2026-000010',
      '2026-000000',
      '2025-000004',
      '2026-4',
      '2026-0000004',
      '2026-999999999',
      'x',
    ]) {
      const answer = await report(`bookingStatus=booked&entryReferenceFrom=${reference}`)
      t.equal(answer.status, 400, reference)
      t.match(answer.body.tppMessages, [{ code: 'RESOURCE_UNKNOWN', path: 'entryReferenceFrom' }])
    }
  })

  t.test('does not bring back what is older than the bank keeps', async (t) => {
    bank.clock.now += 365 * 24 * 3_600_000
    const later = await givenConsent(bank, all, { psuId: maya, validUntil: '2028-05-31' })
    await book(bank, 'new', '2027-11-20')
    const seen = await everyPage(
      reportOf(bank, later),
      'bookingStatus=booked&entryReferenceFrom=2026-000002',
    )
    t.strictSame(textsOf(seen), ['new'])
  })
})

t.test('deltaList', async (t) => {
  const query = 'bookingStatus=booked&deltaList=true'

  t.test('has all there is at first, and then what is new', async (t) => {
    await nothingMoved()
    const consentId = await givenConsent(bank, all, { psuId: maya })
    const report = reportOf(bank, consentId)
    await book(bank, 'one', '2026-11-17')
    await book(bank, 'two', '2026-11-18')
    t.strictSame(textsOf(await everyPage(report, query)), ['two', 'one'])
    t.strictSame(await everyPage(report, query), [])
    await book(bank, 'three', '2026-11-18')
    t.strictSame(textsOf(await everyPage(report, `${query}&dateFrom=2026-11-20`)), ['three'])

    const other = { psuId: maya, applicationId: 'other' }
    const theirs = reportOf(bank, await givenConsent(bank, all, other), 'other')
    t.equal((await everyPage(theirs, query)).length, 3, 'another TPP has its own')

    const again = reportOf(bank, await givenConsent(bank, all, { psuId: maya }))
    t.strictSame(await everyPage(again, query), [], 'a new consent of the same TPP goes on')
  })

  t.test('has pages that stay those of the same report', async (t) => {
    await nothingMoved()
    const consentId = await givenConsent(bank, all, { psuId: maya })
    const report = reportOf(bank, consentId)
    for (let at = 1; at <= 5; at++) await book(bank, `${at}`, '2026-11-18')
    const paged = `${query}&itemsPerPage=2`
    const first = await report(paged)
    t.notMatch(first.body.transactions._links.next.href, /deltaList/)
    t.strictSame(textsOf(await everyPage(report, queryOf(first, 'next'))), ['3', '2', '1'])
    t.strictSame((await report(paged)).body.transactions.booked, [], 'it is reported')

    for (let at = 6; at <= 8; at++) await book(bank, `${at}`, '2026-11-19')
    const second = await report(paged)
    t.match(queryOf(second, 'next'), /entryReferenceFrom=2026-000005/)
    t.strictSame(textsOf(await everyPage(report, queryOf(second, 'first'))), ['8', '7', '6'])
    await book(bank, '9', '2026-11-19')
    t.strictSame(textsOf(await everyPage(report, paged)), ['9'], 'following links reports nothing')
  })

  t.test('is not used up by what has no booked entries or is refused', async (t) => {
    await nothingMoved()
    const once = { psuId: maya, frequencyPerDay: 1 }
    const consentId = await givenConsent(bank, all, once)
    const report = reportOf(bank, consentId)
    await book(bank, 'one', '2026-11-18')
    const pending = await report('bookingStatus=pending&deltaList=true')
    t.strictSame(Object.keys(pending.body.transactions), ['pending', '_links'])
    await report('bookingStatus=information&deltaList=true')
    await report(`${query}&pageIndex=1`)
    const alone = { headers: { 'consent-id': consentId, 'psu-ip-address': undefined } }
    await report('bookingStatus=booked&dateFrom=2026-11-01', alone)
    t.equal(codeOf(await report(query, alone)), 'ACCESS_EXCEEDED')
    t.equal(codeOf(await report(`${query}&entryReferenceFrom=2026-000001`)), 'FORMAT_ERROR')
    const { iban } = (await listed(bank, consentId))[0] ?? {}
    const blind = await givenConsent(bank, { balances: [{ iban }] }, { psuId: maya })
    t.equal(codeOf(await reportOf(bank, blind)(query)), 'CONSENT_INVALID')
    const seeing = await givenConsent(bank, all, { psuId: maya })
    t.strictSame(textsOf(await everyPage(reportOf(bank, seeing), query)), ['one'])
  })

  // The embedded database runs one statement at a time: nothing happens at once there.
  t.test(
    'reports at the same time have every entry exactly once',
    { skip: postgresMissing() },
    async (t) => {
      const bank = await testBank(t)
      const report = reportOf(bank, await givenConsent(bank, all, { psuId: maya }))
      const whole = `${query}&itemsPerPage=500`
      const reports: Promise<Entry[]>[] = []
      for (let round = 0; round < 5; round++) {
        for (let at = 0; at < 4; at++) {
          reports.push(report(whole).then(({ body }) => body.transactions.booked))
          await book(bank, `${round}.${at}`, '2026-11-19')
        }
        await Promise.all(reports)
      }
      reports.push(report(whole).then(({ body }) => body.transactions.booked))
      const texts = textsOf((await Promise.all(reports)).flat())
      t.equal(texts.length, 20)
      t.equal(new Set(texts).size, 20)
    },
  )
})

/** Maya's account is as the sandbox is seeded. */
async function nothingMoved(): Promise<void> {
  await sql`
    delete from bank.delta_reports;
    delete from bank.transactions where account_id = '${sql.raw(quiet)}';
    update bank.accounts set booked = 0, last_sequence = 0, last_day = null
    where id = '${sql.raw(quiet)}'`.execute(bank.database.connect<unknown>())
}

/** Reports of Maya's account under a consent. */
function reportOf(bank: TestBank, consentId: string, applicationId = bank.applicationId) {
  return (query: string, more: object = {}) =>
    bank.call({
      operation: 'listAccountTransactions',
      applicationId,
      headers: { 'consent-id': consentId },
      path: { 'account-id': quiet },
      query,
      ...more,
    })
}

async function listed(bank: TestBank, consentId: string): Promise<{ iban: string }[]> {
  const headers = { 'consent-id': consentId }
  return (await bank.call({ operation: 'listAccounts', headers })).body.accounts
}

/** The booked entries of all pages from one on, by following the links. */
async function everyPage(
  report: (query: string) => Promise<TestAnswer>,
  query: string,
): Promise<Entry[]> {
  const seen: Entry[] = []
  for (let next: string | undefined = query, pages = 0; next !== undefined; pages++) {
    if (pages > 50) throw new Error('the pages never end')
    const answer = await report(next)
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    seen.push(...answer.body.transactions.booked)
    next = answer.body.transactions._links.next && queryOf(answer, 'next')
  }
  return seen
}

/** The query of a link of a report. */
function queryOf({ body }: TestAnswer, name: string): string {
  return body.transactions._links[name].href.split('?')[1]
}

function textsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.remittanceInformationUnstructured)
}

/** That entries are there once each, newest first, in the order of their numbers. */
function checkOrder(t: Test, entries: readonly Entry[]): void {
  t.equal(new Set(entries.map(({ transactionId }) => transactionId)).size, entries.length)
  t.equal(new Set(entries.map(({ entryReference }) => entryReference)).size, entries.length)
  for (const key of ['bookingDate', 'entryReference'] as const) {
    const values = entries.map((entry) => entry[key])
    t.strictSame(values, values.toSorted().reverse(), 'newest first')
  }
}

/** Books a shekel on Maya's account. */
async function book(bank: TestBank, remittance: string, day: string): Promise<void> {
  await createBankStores(bank.database).transaction(async ({ accounts }) => {
    await accounts.lock([quiet])
    await accounts.book({
      id: randomUUID(),
      accountId: quiet,
      day,
      amount: '1',
      currency: 'ILS',
      counterpartyName: 'Dana Peretz',
      counterpartyIban: null,
      remittance,
      endToEndId: null,
      purposeCode: null,
      bankCode: 'PMNT-RCDT-DMCT',
      proprietaryCode: null,
      at: new Date(bank.clock.now),
    })
  })
}

/** Books shekels on Maya's account, over the days up to yesterday. */
async function fill(bank: TestBank, entries: number): Promise<void> {
  const db = bank.database.connect<unknown>()
  await sql`
    insert into bank.transactions (id, account_id, sequence, status, day, value_day, amount, currency,
      bank_code, balance_after)
    select gen_random_uuid(), ${quiet}, n, 'booked', day, day, 1, 'ILS', 'PMNT-RCDT-DMCT', n
    from (select n, date '2025-11-25' + n * 359 / ${entries}::integer as day
      from generate_series(1, ${entries}::integer) n) entries`.execute(db)
  await sql`
    update bank.accounts set booked = ${entries}::integer, last_sequence = ${entries},
      last_day = (select max(day) from bank.transactions where account_id = ${quiet})
    where id = ${quiet}`.execute(db)
}
