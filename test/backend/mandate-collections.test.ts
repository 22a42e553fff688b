import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { changeMandate } from '../../src/backend/processes/change-at-bank.ts'
import { collect } from '../../src/backend/processes/collect.ts'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { type TestBank, testBank } from '../support/bank.ts'
import { postgresMissing } from '../support/database.ts'
import {
  anton,
  approvedMandate,
  core,
  createMandate,
  masav,
  noa,
  statusOf,
  workAtBank,
} from '../support/mandates.ts'

const start = Date.parse('2026-11-20T08:00:00Z')
const main = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'
const savings = '6a1f0a0c-93a8-4a3e-8c27-5f3d3c1d7b10'
const savingsIban = 'IL910205710000000445566'
const shekels = (amount: string) => ({ currency: 'ILS', amount })
const euros = (amount: string) => ({ currency: 'EUR', amount })
const refusal = (reason: string) => ({ name: 'CollectionRefused', reason })
const unchangeable = (status: string | undefined) => ({ name: 'Unchangeable', status })
const expired = { mandateStatus: 'expired', mandateReasonCode: 'MD20' }
/** Without an end, and without a ceiling. */
const endless = { ...masav, occurrences: undefined, maximumAmount: undefined }

t.test('collections', async (t) => {
  const bank = await testBank(t)
  const { work } = workAtBank(bank)
  const present = (id: string, amount = shekels('10'), remittance?: string) =>
    work((of) => collect(of, { id, amount, ...(remittance === undefined ? {} : { remittance }) }))
  t.beforeEach(() => {
    bank.clock.now = start
  })

  t.test('a collection is booked once, with creditor and reference', async (t) => {
    const id = await approvedMandate(bank, endless, noa)
    const { body } = await bank.call({ operation: 'getMandate', path: { resourceId: id } })
    const before = await booked(bank, main)
    const collected = await present(id, shekels('75.5'), 'Water of November')
    t.match(collected, { accountId: main, day: '2026-11-20', mandateStatus: 'valid' })
    t.equal(await booked(bank, main), before - 75.5)
    t.match(await entryOf(bank, collected.transactionId), {
      mandateId: body.mandateId,
      bookingDate: '2026-11-20',
      transactionAmount: { currency: 'ILS', amount: '-75.50' },
      creditorName: 'Galil Water Works',
      remittanceInformationUnstructured: 'Water of November',
      bankTransactionCode: 'PMNT-RDDT-PMDD',
    })
    t.strictSame(await statusOf(bank, id), { mandateStatus: 'valid' })
    t.match(await stored(bank, id), { collected_on: '2026-11-20' })
  })

  t.test('a creditor of this bank has it booked, too', async (t) => {
    const creditorAccount = { iban: savingsIban }
    const id = await approvedMandate(bank, { ...endless, creditorAccount }, noa)
    const funds = async () => [await booked(bank, main), await booked(bank, savings)]
    const [before = 0, beforeThere = 0] = await funds()
    await present(id, shekels('75.5'))
    t.strictSame(await funds(), [before - 75.5, beforeThere + 75.5])
    const db = bank.database.connect<unknown>()
    const shut = (status: string) =>
      sql`update bank.accounts set status = ${status} where id = ${savings}`.execute(db)
    await shut('blocked')
    await t.rejects(present(id), refusal('AC06'))
    await shut('enabled')
    t.strictSame(await funds(), [before - 75.5, beforeThere + 75.5])
  })

  t.test('an entry has 70 characters of the name, or the code of the institution', async (t) => {
    const long = await approvedMandate(
      bank,
      { ...endless, creditor: { name: 'מ'.repeat(140) } },
      noa,
    )
    const unnamed = await approvedMandate(
      bank,
      { ...endless, creditor: { identification: masav.creditor.identification } },
      noa,
    )
    for (const [id, creditorName] of [
      [long, 'מ'.repeat(70)],
      [unnamed, '30417'],
    ] as const) {
      const { transactionId } = await present(id)
      t.match(await entryOf(bank, transactionId), { creditorName })
    }
  })

  t.test(
    'a collection that the mandate does not cover is refused and leaves no trace',
    async (t) => {
      const dated = await approvedMandate(bank, masav, noa)
      const running = await approvedMandate(bank, { ...masav, occurrences: undefined }, noa)
      const lasting = await approvedMandate(
        bank,
        {
          ...masav,
          occurrences: { sequenceType: 'RCUR', duration: { fromDate: '2026-11-21' } },
        },
        noa,
      )
      const fixed = await approvedMandate(
        bank,
        {
          ...endless,
          type: { localInstrumentCode: 'MASAV', classificationCode: 'FIXE' },
          firstCollectionAmount: shekels('50'),
          collectionAmount: shekels('20'),
        },
        noa,
      )
      const { body: fresh } = await createMandate(bank, endless, noa)
      const before = await booked(bank, main)
      for (const [id, amount, reason] of [
        [randomUUID(), shekels('10'), 'MD01'],
        ['no-uuid', shekels('10'), 'MD01'],
        [fresh.mandateResourceId, shekels('10'), 'MD01'],
        [running, euros('10'), 'AM03'],
        [running, shekels('0'), 'AM12'],
        [running, shekels('-1'), 'AM12'],
        [running, shekels('1.005'), 'AM12'],
        [running, shekels('ten'), 'AM12'],
        [running, shekels('900.01'), 'AM02'],
        [fixed, shekels('20'), 'AM09'],
        [dated, shekels('10'), 'DT01'],
        [lasting, shekels('10'), 'DT01'],
      ] as const) {
        const refusal = { name: 'CollectionRefused', reason }
        await t.rejects(present(id, amount), refusal, `${id} ${amount.amount}`)
      }
      t.equal(await booked(bank, main), before)
      t.match(await stored(bank, running), { collected_on: null })

      await present(running, shekels('900'))
      await present(fixed, shekels('50.00'))
      await t.rejects(present(fixed, shekels('50')), refusal('AM09'))
      await present(fixed, shekels('20'))
      bank.clock.now = Date.parse('2026-11-20T22:00:00Z')
      await present(lasting)
      bank.clock.now = Date.parse('2026-12-09T22:00:00Z')
      await present(dated)
    },
  )

  t.test('without funds, or on an account that is shut, nothing is collected', async (t) => {
    const id = await approvedMandate(bank, core, anton)
    const db = bank.database.connect<unknown>()
    const iban = core.debtorAccount.iban
    const { rows } = await sql<{ funds: string }>`
      select booked + credit_limit as funds from bank.accounts where iban = ${iban}`.execute(db)
    const funds = Number(rows[0]?.funds).toFixed(2)
    const more = (Number(funds) + 0.01).toFixed(2)
    await t.rejects(present(id, euros(more)), refusal('AM04'))
    for (const [status, reason] of [
      ['blocked', 'AC06'],
      ['deleted', 'AC04'],
    ] as const) {
      await sql`update bank.accounts set status = ${status} where iban = ${iban}`.execute(db)
      await t.rejects(present(id, euros('1')), refusal(reason))
    }
    await sql`update bank.accounts set status = 'enabled' where iban = ${iban}`.execute(db)
    await present(id, euros(funds))
    await t.rejects(present(id, euros('0.01')), refusal('AM04'))
  })

  t.test('a single collection ends its mandate, at once', async (t) => {
    const occurrences = { sequenceType: 'OOFF', firstCollectionDate: '2026-11-20' }
    const id = await approvedMandate(bank, { ...masav, occurrences }, noa)
    t.match(await present(id), { mandateStatus: 'expired' })
    t.strictSame(await statusOf(bank, id), expired)
    await t.rejects(present(id), refusal('MD01'))
  })

  t.test(
    'a mandate that is not used for 36 months expires, regardless of who reads first',
    async (t) => {
      const unused = await approvedMandate(bank, endless, noa)
      const used = await approvedMandate(bank, endless, noa)
      const suspended = await approvedMandate(bank, endless, noa)
      await work((of) => changeMandate(of, suspended, 'suspend'))
      const isOpen = async (id: string) =>
        ['valid', 'suspended'].includes((await statusOf(bank, id)).mandateStatus)

      bank.clock.now = Date.parse('2027-01-05T10:00:00Z')
      await present(used)
      bank.clock.now = Date.parse('2029-11-20T21:59:59Z')
      for (const id of [unused, used, suspended]) t.ok(await isOpen(id), 'on the last day')
      bank.clock.now += 1000
      const { body } = await bank.call({ operation: 'getMandate', path: { resourceId: unused } })
      t.match(body, { mandateStatus: 'expired', lastActionDate: '2029-11-21' })
      bank.clock.now += 5 * 24 * 3_600_000
      t.strictSame(await statusOf(bank, unused), expired)
      t.strictSame(await statusOf(bank, suspended), expired)
      t.ok(await isOpen(used), 'its collection began them anew')
      bank.clock.now = Date.parse('2030-01-05T22:00:00Z')
      await t.rejects(present(used), refusal('MD01'))
      t.strictSame(await statusOf(bank, used), expired)
    },
  )

  t.test('an end that the request names comes before the 36 months', async (t) => {
    const id = await approvedMandate(bank, masav, noa)
    bank.clock.now = Date.parse('2028-12-10T10:00:00Z')
    await present(id)
    bank.clock.now += 24 * 3_600_000
    t.strictSame(await statusOf(bank, id), expired)
  })

  t.test('the bank suspends and resumes, the debtor revokes', async (t) => {
    const id = await approvedMandate(bank, endless, noa)
    const change = (event: 'suspend' | 'resume' | 'revoke', of = id) =>
      work((at) => changeMandate(at, of, event))
    await t.rejects(change('resume'), unchangeable('valid'))
    t.equal(await change('suspend'), 'suspended')
    t.strictSame(await statusOf(bank, id), { mandateStatus: 'suspended' })
    await t.rejects(present(id), refusal('MD01'))
    await t.rejects(change('suspend'), unchangeable('suspended'))
    t.equal(await change('resume'), 'valid')
    await present(id)
    await change('suspend')
    bank.clock.now += 24 * 3_600_000
    t.equal(await change('revoke'), 'revokedByPsu')
    t.strictSame(await statusOf(bank, id), {
      mandateStatus: 'revokedByPsu',
      mandateReasonCode: 'MD16',
    })
    const { body } = await bank.call({ operation: 'getMandate', path: { resourceId: id } })
    t.equal(body.lastActionDate, '2026-11-21')
    await t.rejects(change('resume'), unchangeable('revokedByPsu'))
    await t.rejects(change('revoke', randomUUID()), unchangeable(undefined))
    const { body: fresh } = await createMandate(bank, { ...endless, mandateId: 'FRESH' }, noa)
    await t.rejects(change('revoke', fresh.mandateResourceId), unchangeable('received'))
  })
})

// The embedded database runs one statement at a time: nothing happens at once there.
t.test('collections at once', { skip: postgresMissing() }, async (t) => {
  const bank = await testBank(t)
  const { work } = workAtBank(bank)
  const together = (id: string, amount = shekels('1')) =>
    Promise.allSettled(Array.from({ length: 8 }, () => work((of) => collect(of, { id, amount }))))
  const before = await booked(bank, main)

  const occurrences = { sequenceType: 'OOFF' }
  const once = await together(await approvedMandate(bank, { ...endless, occurrences }, noa))
  t.equal(once.filter(({ status }) => status === 'fulfilled').length, 1, 'a single one is one')
  t.equal(await booked(bank, main), before - 1)

  const many = await together(await approvedMandate(bank, endless, noa))
  t.equal(many.filter(({ status }) => status === 'fulfilled').length, 8)
  t.equal(await booked(bank, main), before - 9)
})

/** An entry of the main account as its owner sees it. */
async function entryOf(bank: TestBank, transactionId: string) {
  const { database, applicationId, clock } = bank
  const now = () => clock.now
  const { body } = await bank.call({
    operation: 'getAccountTransaction',
    headers: { 'consent-id': await createSeededConsent({ database, applicationId, now }) },
    path: { 'account-id': main, transactionId },
  })
  return body.transactionsDetails.transactionDetails
}

async function booked({ database }: TestBank, account: string): Promise<number> {
  const { rows } = await sql<{ booked: string; entries: string }>`
    select booked, (select sum(amount) from bank.transactions
      where account_id = a.id and status = 'booked') as entries
    from bank.accounts a where id = ${account}`.execute(database.connect<unknown>())
  const [row] = rows
  if (row === undefined || row.booked !== row.entries) throw new Error(JSON.stringify(rows))
  return Number(row.booked)
}

/** A mandate as it was last written down. */
async function stored({ database }: TestBank, id: string) {
  const { rows } = await sql<Record<string, unknown>>`
    select * from bank.mandates where id = ${id}`.execute(database.connect<unknown>())
  return rows[0]
}
