import { sql } from 'kysely'
import t from 'tap'
import { bankDatabase, codeOf, type TestBank, testBank } from '../support/bank.ts'
import { givenConsent } from '../support/consent.ts'
import { postgresMissing, testPostgres } from '../support/database.ts'
import { approvedMandate, statusOf as mandateStatus, masav } from '../support/mandates.ts'
import { bill } from '../support/requests.ts'
import { until } from '../support/until.ts'

const noa = '305567661'
const day = 24 * 3_600_000
/** Longer than a bank sleeps that knows of nothing planned. */
const sleepMs = 10_000

t.test('time passes for unread resources, and old answers to POSTs are dropped', async (t) => {
  const bank = await testBank(t)
  await pay(bank)
  bank.clock.now += day
  await bank.backend.app.listen({ host: '127.0.0.1', port: 0 })
  await pay(bank)
  bank.clock.now += 60_000
  const isDone = async () => {
    const { rows } = await sql<{ booked: number; answers: number }>`
      select (select count(*) from bank.payments where status = 'ACCC') as booked,
        (select count(*) from bank.idempotency) as answers`.execute(bank.database.connect())
    return rows[0]?.booked === 2 && rows[0].answers === 1
  }
  await until('both are booked, and the answer to one is left', isDone)
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

t.test('consents and mandates end at their moment, and no read stores anything', async (t) => {
  const bank = await testBank(t)
  const all = { allPsd2: 'allAccounts' }
  const once = { recurringIndicator: false, frequencyPerDay: 1 }
  const today = { validUntil: '2026-11-20' }
  const recurring = await givenConsent(bank, all, today)
  const oneOff = await givenConsent(bank, all, { ...once, validUntil: '2026-11-21' })
  const mandate = await approvedMandate(
    bank,
    { ...masav, occurrences: { sequenceType: 'RCUR', finalCollectionDate: '2026-11-20' } },
    { 'psu-id': noa },
  )
  const list = (consentId: string) =>
    bank.call({ operation: 'listAccounts', headers: { 'consent-id': consentId } })
  for (const id of [oneOff, recurring])
    t.equal((await list(id)).status, 200, 'the first read is stored')
  await sql`
    create function bank.refuse() returns trigger language plpgsql as $$
      begin raise exception 'a read writes'; end $$;
    create trigger refuse before insert or update or delete on bank.consents
      for each statement execute function bank.refuse();
    create trigger refuse before insert or update or delete on bank.mandates
      for each statement execute function bank.refuse()`.execute(bank.database.connect())
  async function state(consentId: string): Promise<string> {
    const { body } = await bank.call({ operation: 'getConsent', path: { consentId } })
    const read = await list(consentId)
    return `${body.consentStatus} ${body.lastActionDate} ${codeOf(read) ?? read.status}`
  }

  bank.clock.now += 2 * 3_600_000 - 1
  t.equal(await state(oneOff), 'valid 2026-11-20 200')
  bank.clock.now += 1
  t.equal(await state(oneOff), 'expired 2026-11-20 CONSENT_EXPIRED')
  bank.clock.now = Date.parse('2026-11-20T21:59:59.999Z')
  t.equal(await state(recurring), 'valid 2026-11-20 200')
  t.same(await mandateStatus(bank, mandate), { mandateStatus: 'valid' })
  bank.clock.now += 1
  t.equal(await state(recurring), 'expired 2026-11-21 CONSENT_EXPIRED')
  const ended = { mandateStatus: 'expired', mandateReasonCode: 'MD20' }
  t.same(await mandateStatus(bank, mandate), ended)
})

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

/** More than half of the funds, so that they do not suffice twice. */
async function mostFunds({ database }: TestBank): Promise<string> {
  const { rows } = await sql<{ most: string }>`
    select round(booked * 0.6, 2) as most from bank.accounts
    where iban = ${bill.debtorAccount.iban}`.execute(database.connect())
  return rows[0]?.most ?? ''
}
