import { sql } from 'kysely'
import t from 'tap'
import { bankDatabase, type TestBank, testBank } from '../support/bank.ts'
import { askConsent } from '../support/consent.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { bill } from '../support/requests.ts'
import { until } from '../support/until.ts'

const noa = '305567661'
const day = 24 * 3_600_000
/** Longer than a bank sleeps that knows of nothing planned. */
const sleepMs = 10_000

t.test('time passes for what no call reads', async (t) => {
  const bank = await testBank(t)
  await bank.backend.app.listen({ host: '127.0.0.1', port: 0 })
  const paymentId = await pay(bank)
  bank.clock.now += 60_000
  await until(
    'the payment is booked',
    async () => (await stored(bank, paymentId)) === 'ACCC',
    30_000,
  )
})

t.test('a call at the planned moment sees the change, a millisecond earlier not', async (t) => {
  const bank = await testBank(t)
  const paymentId = await pay(bank)
  for (const [laterMs, status] of [
    [1999, 'RCVD'],
    [1, 'ACTC'],
    [999, 'ACTC'],
    [1, 'ACSP'],
    [999, 'ACSP'],
    [1, 'ACSC'],
  ] as const) {
    bank.clock.now += laterMs
    t.equal(await statusOf(bank, paymentId), status)
  }
})

t.test(
  'a read changes nothing when nothing is due, even of a consent that has ended',
  async (t) => {
    const bank = await testBank(t)
    const consentId = await askConsent(
      bank,
      { allPsd2: 'allAccounts' },
      { validUntil: '2026-11-20' },
    )
    bank.clock.now += 2000
    const read = () => bank.call({ operation: 'getConsent', path: { consentId } })
    t.equal((await read()).body.consentStatus, 'valid')
    const db = bank.database.connect<unknown>()
    await sql`
    create function bank.refuse() returns trigger language plpgsql as $$
      begin raise exception 'a read writes'; end $$;
    create trigger refuse before insert or update or delete on bank.consents
      for each statement execute function bank.refuse()`.execute(db)
    bank.clock.now += day
    t.match((await read()).body, { consentStatus: 'expired', lastActionDate: '2026-11-21' })
    const headers = { 'consent-id': consentId }
    const { body } = await bank.call({ operation: 'listAccounts', headers })
    t.equal(body.tppMessages?.[0].code, 'CONSENT_EXPIRED')
  },
)

t.test(
  'a bank that was stopped for a day makes up for it in order before its first answer',
  async (t) => {
    const database = await bankDatabase(t)
    const before = await testBank(t, { database })
    const { applicationId } = before
    const most = await mostFunds(before)
    const first = await pay(before, most)
    before.clock.now += 1
    const second = await pay(before, most)
    await before.backend.close()
    const after = await testBank(t, { database })
    after.clock.now += day
    t.equal(await statusOf(after, second, applicationId), 'RJCT')
    t.equal(await statusOf(after, first, applicationId), 'ACCC')
  },
)

t.test(
  'what one bank process has planned another makes, should the first have stopped',
  async (t) => {
    const database = await bankDatabase(t)
    const one = await testBank(t, { database })
    const other = await testBank(t, { database })
    await statusOf(other, await pay(other))
    const paymentId = await pay(one)
    other.clock.now += sleepMs
    t.equal(await statusOf(other, paymentId, one.applicationId), 'ACSC')
  },
)

t.test(
  'what one process is changing holds up no call of another, and is not overtaken',
  { skip: postgresMissing() },
  async (t) => {
    const database = await testPostgres(t)
    if (database === undefined) return
    const bank = await testBank(t, { database })
    const most = await mostFunds(bank)
    const first = await pay(bank, most)
    bank.clock.now += 1
    const second = await pay(bank, most)
    bank.clock.now += 60_000
    await bank.database
      .connect<unknown>()
      .transaction()
      .execute(async (other) => {
        await sql`select id from bank.payments where id = ${first} for no key update`.execute(other)
        t.equal(await statusOf(bank, second), 'RCVD')
        t.equal(await statusOf(bank, first), 'RCVD')
      })
    bank.clock.now += 1000
    t.equal(await statusOf(bank, second), 'RJCT')
    t.match(await statusOf(bank, first), /ACSC|ACCC/)
  },
)

/** Initiates an instant payment that its PSU approves on a device two seconds later. */
async function pay(bank: TestBank, amount = bill.instructedAmount.amount): Promise<string> {
  const { body } = await bank.call({
    operation: 'initiatePayment',
    path: { 'payment-product': 'fp' },
    headers: { 'psu-id': noa, 'tpp-decoupled-preferred': 'true' },
    body: { ...bill, instructedAmount: { currency: 'ILS', amount } },
  })
  return body.paymentId
}

async function statusOf(
  bank: TestBank,
  paymentId: string,
  applicationId = bank.applicationId,
): Promise<string> {
  const path = { 'payment-product': 'fp', paymentId }
  const { body } = await bank.call({ operation: 'getPaymentStatus', path, applicationId })
  return body.transactionStatus
}

/** The status in the table, without a call. */
async function stored({ database }: TestBank, paymentId: string): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select status from bank.payments where id = ${paymentId}`.execute(database.connect())
  return rows[0]?.status
}

/** So much of the funds that they do not suffice twice. */
async function mostFunds({ database }: TestBank): Promise<string> {
  const { rows } = await sql<{ most: string }>`
    select round(booked * 0.6, 2) as most from bank.accounts
    where iban = ${bill.debtorAccount.iban}`.execute(database.connect())
  return rows[0]?.most ?? ''
}
