import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { isIban } from '../../src/backend/domain/identifiers.ts'
import { createClockwork } from '../../src/backend/processes/clockwork.ts'
import { sandboxPsus, withCheckDigit } from '../../src/backend/sandbox/personas.ts'
import { seedSandbox } from '../../src/backend/sandbox/seed.ts'
import { createBankStores } from '../../src/backend/stores/bank-stores.ts'
import { testBank } from '../support/bank.ts'

t.test('the people of the sandbox have ids and IBANs with valid check digits', async (t) => {
  for (const { id, accounts } of sandboxPsus) {
    if (/^\d+$/.test(id)) t.equal(id, withCheckDigit(id.slice(0, 8)))
    for (const { iban } of accounts) t.ok(isIban(iban), iban)
  }
  const ids = sandboxPsus.flatMap((psu) => [psu.id, psu.alias])
  t.equal(new Set(ids).size, ids.length)
})

t.test('a seeded sandbox', async (t) => {
  const bank = await testBank(t)
  const db = bank.database.connect<unknown>()

  t.test('stays as it is when it is seeded again, on whatever day', async (t) => {
    const count = async () =>
      (
        await sql<{ rows: number }>`
          select (select count(*) from bank.accounts) + (select count(*) from bank.transactions)
            + (select count(*) from bank.card_transactions) as rows`.execute(db)
      ).rows[0]?.rows
    const before = await count()
    const now = () => bank.clock.now + 90 * 86_400_000
    await seedSandbox({ database: bank.database, now, timeZone: 'Asia/Jerusalem' })
    t.equal(await count(), before)
  })

  t.test('has no purchase in the future, however early in the day the bank starts', async (t) => {
    const { rows } = await sql<{ last: Date }>`
      select max(accepted_at) as last from bank.card_transactions`.execute(db)
    t.same(rows, [{ last: new Date(bank.clock.now) }], 'one of this very day, not of its noon')
  })

  t.test('has in every account what its entries add up to', async (t) => {
    const { rows } = await sql`
      select a.iban from bank.accounts a
      where a.booked <> (select coalesce(sum(amount), 0) from bank.transactions x
        where x.account_id = a.id and x.status = 'booked')`.execute(db)
    t.strictSame(rows, [])
  })

  t.test('numbers the booked entries of every account in the order of their days', async (t) => {
    const { rows } = await sql`
      select a.id from bank.accounts a
      left join (select account_id, count(*), max(sequence) as last, max(day) as day
        from bank.transactions where status = 'booked' group by account_id) e on e.account_id = a.id
      where a.last_sequence <> coalesce(e.last, 0) or e.count <> e.last or a.last_day <> e.day
      union select id from (select id, day < lag(day) over (
        partition by account_id order by sequence) as is_earlier
        from bank.transactions where status = 'booked') e where is_earlier`.execute(db)
    t.strictSame(rows, [])
  })

  t.test(
    'has more than 60 entries over 13 months in the main account, none later than today',
    async (t) => {
      const { rows } = await sql<{ entries: number; first: string; last: string }>`
      select count(*) as entries, min(day) as first, max(day) as last from bank.transactions
      where account_id = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55' and status = 'booked'`.execute(db)
      t.match(rows, [{ first: '2025-10-20' }])
      t.ok((rows[0]?.entries ?? 0) > 60)
      t.ok((rows[0]?.last ?? '') <= '2026-11-20')
    },
  )
})

t.test('a person that is new comes with the next start', async (t) => {
  const bank = await testBank(t)
  const db = bank.database.connect<unknown>()
  const accounts = () =>
    sql`select a.id from bank.accounts a join bank.psus p on p.id = a.psu_id
      where p.alias = 'PSU-Multicurrency'`.execute(db)
  t.equal((await accounts()).rows.length, 4)
  await sql`
    delete from bank.transactions where account_id::text like '%b15';
    delete from bank.standing_orders where account_id::text like '%b15';
    delete from bank.accounts where id::text like '%b15';
    delete from bank.psus where alias = 'PSU-Multicurrency'`.execute(db)
  t.equal((await accounts()).rows.length, 0)
  const now = () => bank.clock.now
  await seedSandbox({ database: bank.database, now, timeZone: 'Asia/Jerusalem' })
  t.equal((await accounts()).rows.length, 4)
})

t.test('changes that no client reads are stored on time, too', async (t) => {
  const bank = await testBank(t)
  const db = bank.database.connect<unknown>()
  const { body } = await bank.call({
    operation: 'initiatePayment',
    path: { 'payment-product': 'fp' },
    headers: { 'psu-id': '305567661', 'tpp-decoupled-preferred': 'true' },
    body: {
      instructedAmount: { currency: 'ILS', amount: '10' },
      creditorAccount: { iban: 'IL090123450000000123456' },
      creditorName: 'Galil Water Works',
      remittanceInformationUnstructured: 'Ten',
    },
  })
  const clockwork = createClockwork({
    stores: createBankStores(bank.database),
    randomUUID,
    timeZone: 'Asia/Jerusalem',
  })
  const stored = async () => {
    const { rows } = await sql<{ status: string }>`
      select status from bank.payments where id = ${body.paymentId}`.execute(db)
    return rows[0]?.status
  }
  for (const [later, status] of [
    [1999, 'RCVD'],
    [1, 'ACTC'],
    [2000, 'ACSC'],
    [86_400_000, 'ACCC'],
  ] as const) {
    bank.clock.now += later
    await clockwork.catchUp(bank.clock.now)
    t.equal(await stored(), status)
  }
})
