import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { lastSegment, type TestBank, testBank } from '../support/bank.ts'
import { askConsent } from '../support/consent.ts'
import { approve } from '../support/embedded-approval.ts'
import { bill, consentRequest } from '../support/requests.ts'

const all = { allPsd2: 'allAccounts' }
const noa = '305567661'

t.test('what people answer on their devices counts in the order of the answers', async (t) => {
  const bank = await testBank(t)

  // Made at the same instant, too: then the one that was made first is the older.
  for (const [readFirst, apartMs] of [
    ['older', 1],
    ['newer', 1],
    ['older', 0],
    ['newer', 0],
  ] as const) {
    t.test(
      `of two recurring consents ${apartMs} ms apart the older one ends, read first: the ${readFirst}`,
      async (t) => {
        const applicationId = randomUUID()
        const older = await askConsent(bank, all, { applicationId })
        bank.clock.now += apartMs
        const newer = await askConsent(bank, all, { applicationId })
        bank.clock.now += 5000
        const read = (id: string) => statusOf(bank, id, applicationId)
        const states = new Map<string, string>()
        for (const id of readFirst === 'older' ? [older, newer] : [newer, older]) {
          states.set(id, await read(id))
        }
        t.equal(states.get(newer), 'valid')
        t.equal(await read(older), 'expired', 'it was approved, and then superseded')
      },
    )
  }

  t.test(
    'a valid consent has ended with the answer to a newer one, and reads nothing more',
    async (t) => {
      const applicationId = randomUUID()
      const older = await askConsent(bank, all, { applicationId })
      bank.clock.now += 2000
      t.equal(await statusOf(bank, older, applicationId), 'valid')
      await askConsent(bank, all, { applicationId })
      bank.clock.now += 2000
      const headers = { 'consent-id': older }
      const { body } = await bank.call({ operation: 'listAccounts', headers, applicationId })
      t.equal(body.tppMessages?.[0].code, 'CONSENT_EXPIRED')
    },
  )

  t.test('an older one was answered before a newer one is approved through the TPP', async (t) => {
    const applicationId = randomUUID()
    const older = await askConsent(bank, all, { applicationId })
    const { consentId, href } = await embeddedConsent(bank, applicationId)
    bank.clock.now += 5000
    await approve(bank, { psuId: noa, href, applicationId })
    t.equal(await statusOf(bank, older, applicationId), 'expired')
    t.equal(await statusOf(bank, consentId, applicationId), 'valid')
  })

  t.test(
    'of two payments the one approved first gets the money, whichever is read first',
    async (t) => {
      for (const readFirst of [0, 1]) {
        const most = await mostFunds(bank)
        const payments: string[] = []
        for (let count = 0; count < 2; count += 1) {
          payments.push((await pay(bank, most)).body.paymentId)
          bank.clock.now += 1
        }
        bank.clock.now += 60_000
        const states: string[] = []
        for (const at of readFirst === 0 ? [0, 1] : [1, 0]) {
          const path = { 'payment-product': 'fp', paymentId: payments[at] ?? '' }
          const { body } = await bank.call({ operation: 'getPaymentStatus', path })
          states[at] = body.transactionStatus
        }
        t.match(states, [/^ACSC|ACCC$/, 'RJCT'], `read first: ${readFirst}`)
      }
    },
  )

  t.test('a step that fails holds up no other, and is tried again', async (t) => {
    const payments: string[] = []
    for (let count = 0; count < 2; count += 1) {
      payments.push((await pay(bank)).body.paymentId)
    }
    const [broken = '', sound = ''] = payments
    const db = bank.database.connect()
    await sql`
      create function bank.refuse() returns trigger language plpgsql as $$
        begin raise exception 'no'; end $$;
      create trigger refuse before update on bank.payments for each row
        when (old.status = 'ACTC' and old.id = ${sql.lit(broken)}) execute function bank.refuse()`.execute(
      db,
    )
    bank.clock.now += 60_000
    const read = (paymentId: string) =>
      bank.call({ operation: 'getPaymentStatus', path: { 'payment-product': 'fp', paymentId } })
    t.equal((await read(sound)).body.transactionStatus, 'ACCC')
    t.equal((await read(broken)).body.transactionStatus, 'ACTC')
    await sql`drop trigger refuse on bank.payments`.execute(db)
    bank.clock.now += 10_000
    t.equal((await read(broken)).body.transactionStatus, 'ACCC')
  })

  t.test('funds that a TPP wants checked at once are those after what was due', async (t) => {
    const most = await mostFunds(bank)
    t.equal((await pay(bank, most)).status, 201)
    bank.clock.now += 60_000
    const second = await pay(bank, most, { 'tpp-rejection-nofunds-preferred': 'true' })
    t.equal(second.body.tppMessages?.[0].code, 'PAYMENT_FAILED')
  })

  t.test('a balance includes what was approved on a device, even before it is read', async (t) => {
    const applicationId = randomUUID()
    const consentId = await askConsent(bank, all, { applicationId })
    bank.clock.now += 2000
    const accounts = () =>
      bank.call({
        operation: 'listAccounts',
        query: 'withBalance=true',
        headers: { 'consent-id': consentId },
        applicationId,
      })
    const before = await accounts()
    await pay(bank)
    bank.clock.now += 60_000
    t.not(JSON.stringify((await accounts()).body), JSON.stringify(before.body))
  })

  t.test('an answer after the authorisation has expired is ignored', async (t) => {
    const applicationId = randomUUID()
    const { consentId, href } = await embeddedConsent(bank, applicationId)
    const path = { consentId, authorisationId: lastSegment(href) }
    // The device is asked a second before the day is over, and answers a second after.
    bank.clock.now += 86_400_000 - 1000
    for (const body of [{ psuData: { password: '12345' } }, { authenticationMethodId: 'app-1' }]) {
      const put = { operation: 'updateConsentAuthorisation', path, body, applicationId }
      t.equal((await bank.call({ ...put, headers: { 'psu-id': noa } })).status, 200)
    }
    bank.clock.now += 60_000
    t.equal(await statusOf(bank, consentId, applicationId), 'rejected')
  })
})

/** Asks for a consent that is approved through the TPP. */
async function embeddedConsent(bank: TestBank, applicationId: string) {
  const { body } = await bank.call({
    operation: 'createConsent',
    applicationId,
    headers: { 'psu-id': noa, 'tpp-redirect-preferred': 'false' },
    body: consentRequest,
  })
  return { consentId: body.consentId, href: body._links.scaStatus.href }
}

/** Initiates an instant payment that its PSU approves on its device two seconds later. */
function pay(bank: TestBank, amount = bill.instructedAmount.amount, headers: object = {}) {
  return bank.call({
    operation: 'initiatePayment',
    path: { 'payment-product': 'fp' },
    headers: { 'psu-id': noa, 'tpp-decoupled-preferred': 'true', ...headers },
    body: { ...bill, instructedAmount: { currency: 'ILS', amount } },
  })
}

/** More than half of the funds, so that they do not suffice twice. */
async function mostFunds({ database }: TestBank): Promise<string> {
  const { rows } = await sql<{ most: string }>`
    select round(booked * 0.6, 2) as most from bank.accounts
    where iban = ${bill.debtorAccount.iban}`.execute(database.connect())
  return rows[0]?.most ?? ''
}

async function statusOf(bank: TestBank, consentId: string, applicationId: string) {
  const { body } = await bank.call({
    operation: 'getConsentStatus',
    path: { consentId },
    applicationId,
  })
  return body.consentStatus
}
