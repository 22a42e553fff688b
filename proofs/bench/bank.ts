// npm run prove -- bench-bank: what a read costs inside the bank, on the embedded database and on PostgreSQL; and the first
// and the last page of 10,000 entries.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { createSeededConsent } from '../../src/backend/sandbox/create-seeded-consent.ts'
import { type TestBank, testBank } from '../../test/support/bank.ts'
import { type TestDatabase, testEmbedded, testPostgres } from '../../test/support/database.ts'
import { standInTest } from '../../test/support/stand-in-test.ts'
import { figure } from '../figure.ts'
import { printTable } from './report.ts'
import { median, percentile } from './statistics.ts'

const account = '3b0b3b6a-6f3c-4b0e-9a2f-0f7f1c2f4a55'
const entries = 10_000
const warmUp = 200
const calls = 600

interface Read {
  readonly name: string
  readonly url: string
}

const report = `/v1.7.0/accounts/${account}/transactions?bookingStatus=booked&dateFrom=2026-01-01`
const reads: readonly Read[] = [
  { name: 'GET accounts', url: '/v1.7.0/accounts' },
  {
    name: 'GET accounts?withBalance=true',
    url: '/v1.7.0/accounts?withBalance=true',
  },
  {
    name: `first page of ${entries} entries`,
    url: `${report}&pageIndex=0`,
  },
  {
    name: `last page of ${entries} entries`,
    url: `${report}&pageIndex=${Math.floor((entries - 1) / 20)}`,
  },
]

const t = standInTest()
const rows: string[][] = []
/** One token for all calls of an application, as the gateway reuses it. */
const tokens = new Map<string, Promise<string>>()
try {
  await measureOn('embedded', await testEmbedded(t, { seededAt: Date.now() }))
  await measureOn('PostgreSQL', await testPostgres(t))
} finally {
  await t.end()
}
printTable(['inside the bank', 'database', 'p50 ms', 'p99 ms'], rows)
for (const [read, on, p50, p99] of rows) figure(`${read}, ${on}: p50 ${p50} ms, p99 ${p99} ms`)

async function measureOn(name: string, database: TestDatabase): Promise<void> {
  const bank = await testBank(t, { database })
  await addEntries(bank)
  const { applicationId, clock } = bank
  const consentId = await createSeededConsent({
    database: bank.database,
    applicationId,
    now: () => clock.now,
  })
  for (const read of reads) {
    const times: number[] = []
    for (let call = 0; call < warmUp + calls; call += 1) {
      const took = await time(bank, read, consentId)
      if (call >= warmUp) times.push(took)
    }
    rows.push([read.name, name, median(times).toFixed(2), percentile(times, 0.99).toFixed(2)])
  }
}

/** Milliseconds from the parsed request to the answer. The PSU is there, so nothing is counted. */
async function time(bank: TestBank, { url }: Read, consentId: string): Promise<number> {
  const identity = await tokenOf(bank)
  const begin = performance.now()
  const { statusCode, body } = await bank.backend.app.inject({
    url,
    headers: {
      'x-request-id': randomUUID(),
      'psu-ip-address': '192.0.2.44',
      'consent-id': consentId,
      'gateway-identity': identity,
    },
  })
  const took = performance.now() - begin
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode} ${body}`)
  return took
}

function tokenOf({ identity, applicationId }: TestBank): Promise<string> {
  const known =
    tokens.get(applicationId) ??
    identity.identityFor({ applicationId, api: 'xs2a', version: '1.7.0' })
  tokens.set(applicationId, known)
  return known
}

/** Books this number of small entries this year on the account, as its history. */
async function addEntries({ database }: TestBank): Promise<void> {
  await sql`
    with last as (select last_sequence as n, booked from bank.accounts where id = ${account})
    insert into bank.transactions
      (id, account_id, sequence, status, day, value_day, amount, currency, bank_code, balance_after)
    select gen_random_uuid(), ${account}::uuid, last.n + i, 'booked', date '2026-11-20', date '2026-11-20',
      1, 'ILS', 'PMNT-RCDT-DMCT', last.booked + i
    from last, generate_series(1, ${entries}::int) i`.execute(database.connect())
  await sql`
    update bank.accounts set last_sequence = last_sequence + ${entries}, booked = booked + ${entries}, last_day = '2026-11-20'
    where id = ${account}`.execute(database.connect())
  await sql`analyze bank.transactions`.execute(database.connect())
}
