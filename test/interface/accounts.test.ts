import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { codeOf, lastSegment, type TestAnswer } from '../support/bank.ts'
import { type InterfaceCall, type InterfaceWorld, interfaceWorld } from '../support/interface.ts'
import { consentRequest } from '../support/requests.ts'

const iban = 'IL030205710000000200285'
const report = 'bookingStatus=both&dateFrom=2026-01-01'

/** The reads of payment accounts and of card accounts; each with what it needs of a path and a query. */
const families = [
  {
    name: 'accounts',
    list: 'listAccounts',
    members: 'accounts',
    reads: ['getAccount', 'getAccountBalances', 'listAccountTransactions', 'getAccountTransaction'],
    named: { iban },
    cashAccountType: 'CACC',
  },
  {
    name: 'card accounts',
    list: 'listCardAccounts',
    members: 'cardAccounts',
    reads: ['getCardAccount', 'getCardAccountBalances', 'listCardAccountTransactions'],
    named: { iban, cashAccountType: 'CARD' },
    cashAccountType: 'CARD',
  },
] as const

t.test('accounts through the gateway', async (t) => {
  const world = await interfaceWorld(t)
  for (const version of ['1.6.0', '1.7.0']) {
    for (const family of families) {
      t.test(`${version}: ${family.name}`, (t) => readsOf(t, world, version, family))
    }
  }
})

async function readsOf(
  t: Test,
  world: InterfaceWorld,
  version: string,
  { list, members, reads, named }: (typeof families)[number],
) {
  const refusal = (answer: TestAnswer) => `${answer.status} ${codeOf(answer)}`
  const call = (t: Test, operation: string, change: Partial<InterfaceCall> = {}) =>
    world.call(t, { operation, version, ...change })

  /** A consent that its PSU has approved on its device. */
  async function consent(t: Test, body: object = {}, psuId = '305567661', isApproved = true) {
    const made = await call(t, 'createConsent', {
      headers: { 'psu-id': psuId, 'tpp-decoupled-preferred': 'true' },
      body: { ...consentRequest, ...body },
    })
    if (isApproved) world.clock.now += 2000
    return { 'consent-id': String(made.body.consentId) }
  }

  // A recurring consent ends the one before it, so each test asks for its own.
  const first = await consent(t)
  const listed = await call(t, list, { headers: first })
  const id: string = listed.body[members][0].resourceId
  const transactions = reads.find((name) => name.endsWith('Transactions')) ?? ''
  const entries = await call(t, transactions, {
    path: { 'account-id': id },
    query: report,
    headers: first,
  })
  const path = {
    'account-id': id,
    transactionId: String(entries.body.transactions?.booked[0].transactionId ?? ''),
  }
  const read = (t: Test, operation: string, change: Partial<InterfaceCall> = {}) =>
    call(t, operation, { path, query: operation === transactions ? report : '', ...change })

  t.test('everything that a consent covers can be read', async (t) => {
    const everything = await consent(t)
    for (const operation of [list, ...reads]) {
      t.equal((await read(t, operation, { headers: everything })).status, 200, operation)
    }
  })

  t.test('a consent that is unknown, of another TPP, or not valid', async (t) => {
    const everything = await consent(t)
    const revoked = await consent(t, {}, 'PSU-ConsentRevokedByPsu')
    const suspended = await consent(t, {}, 'PSU-ConsentSuspended')
    const expired = await consent(t, {}, 'PSU-ConsentExpired')
    for (const operation of [list, ...reads]) {
      const without = await read(t, operation, { headers: { 'consent-id': undefined } })
      t.equal(refusal(without), '400 FORMAT_ERROR', operation)
      const unknown = await read(t, operation, { headers: { 'consent-id': randomUUID() } })
      t.equal(refusal(unknown), '400 CONSENT_UNKNOWN', operation)
      const foreign = await read(t, operation, { headers: everything, as: 'other' })
      t.strictSame(foreign.body, unknown.body, `${operation}: of another TPP`)
      for (const headers of [revoked, suspended]) {
        t.equal(refusal(await read(t, operation, { headers })), '401 CONSENT_INVALID', operation)
      }
      t.equal(refusal(await read(t, operation, { headers: expired })), '401 CONSENT_EXPIRED')
    }
    const waiting = await consent(t, {}, '305567661', false)
    t.equal(refusal(await read(t, list, { headers: waiting })), '401 CONSENT_INVALID')
    world.clock.now += 2000
  })

  t.test('an account that the consent does not cover, or not with this right', async (t) => {
    const everything = await consent(t)
    for (const operation of reads) {
      const elsewhere = { ...path, 'account-id': randomUUID() }
      const answer = await read(t, operation, { path: elsewhere, headers: everything })
      t.equal(refusal(answer), '404 RESOURCE_UNKNOWN', operation)
    }
    const only = await consent(t, { access: { accounts: [named] } })
    for (const operation of reads) {
      if (operation === reads[0]) continue
      const lacking = await read(t, operation, { headers: only })
      t.equal(refusal(lacking), '401 CONSENT_INVALID', operation)
    }
    const listedOnly = await consent(t, { access: { availableAccounts: 'allAccounts' } })
    t.equal((await read(t, list, { headers: listedOnly })).status, 200)
    t.equal(refusal(await read(t, reads[0], { headers: listedOnly })), '401 CONSENT_INVALID')
  })

  t.test('reads without the PSU, more often than the consent allows', async (t) => {
    const rare = await consent(t, { frequencyPerDay: 1 })
    const absent = { ...rare, 'psu-ip-address': undefined }
    for (const operation of [list, ...reads]) {
      t.equal((await read(t, operation, { headers: absent })).status, 200, operation)
      const second = await read(t, operation, { headers: absent })
      t.equal(refusal(second), '429 ACCESS_EXCEEDED', operation)
      t.equal((await read(t, operation, { headers: rare })).status, 200, `${operation}: PSU there`)
    }
  })

  t.test('a report whose parameters are wrong', async (t) => {
    const everything = await consent(t)
    const of = async (query: string) =>
      refusal(await read(t, transactions, { query, headers: everything }))
    for (const [query, expected] of [
      ['dateFrom=2026-01-01', '400 FORMAT_ERROR'],
      ['bookingStatus=maybe&dateFrom=2026-01-01', '400 FORMAT_ERROR'],
      ['bookingStatus=booked', '400 FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-02-30', '400 FORMAT_ERROR'],
      ['bookingStatus=booked&dateFrom=2026-11-02&dateTo=2026-11-01', '400 PERIOD_INVALID'],
      ['bookingStatus=booked&deltaList=true&entryReferenceFrom=1', '400 FORMAT_ERROR'],
    ] as const) {
      t.equal(await of(query), expected, query)
    }
    if (members === 'cardAccounts') {
      const query = 'bookingStatus=booked&entryReferenceFrom=2026-000001'
      t.equal(await of(query), '400 PARAMETER_NOT_SUPPORTED')
      return
    }
    const savings = { 'account-id': '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10' }
    const orders = { path: savings, query: 'bookingStatus=information', headers: everything }
    t.equal(refusal(await read(t, transactions, orders)), '400 PARAMETER_NOT_SUPPORTED')
  })

  t.test('pages are followed by their links to the last entry, each entry once', async (t) => {
    const everything = await consent(t)
    const ids: string[] = []
    let query: string | undefined = `bookingStatus=booked&dateFrom=2025-11-20&itemsPerPage=7`
    let pages = 0
    while (query !== undefined && pages < 100) {
      const { body } = await read(t, transactions, { query, headers: everything })
      const { booked, _links } = body.transactions ?? body.cardTransactions
      ids.push(
        ...booked.map(
          (entry: Record<string, string>) => entry['transactionId'] ?? entry['cardTransactionId'],
        ),
      )
      query = _links.next?.href.split('?')[1]
      pages += 1
    }
    t.ok(pages > 3)
    t.equal(new Set(ids).size, ids.length)
    if (members === 'cardAccounts') return
    const single = { path: { ...path, transactionId: randomUUID() }, headers: everything }
    t.equal(refusal(await read(t, 'getAccountTransaction', single)), '404 RESOURCE_UNKNOWN')
    const one = { path: { ...path, transactionId: lastSegment(ids[0] ?? '') }, headers: everything }
    t.equal((await read(t, 'getAccountTransaction', one)).status, 200)
  })
}
