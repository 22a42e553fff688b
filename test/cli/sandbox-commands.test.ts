import { sql } from 'kysely'
import t from 'tap'
import { onDay } from '../../src/backend/domain/bank-time.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { testBank } from '../support/bank.ts'
import { tollgate } from '../support/cli.ts'
import { givenConsent } from '../support/consent.ts'
import { testDatabase } from '../support/database.ts'
import { approvedMandate, createMandate, noa, statusOf } from '../support/mandates.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { runTollgate } from '../support/tollgate.ts'

const database = await testDatabase(t)
const stores = await testStores(database.database)
const bank = await testBank(t, { database })
// Commands live in our time.
bank.clock.now = Date.now() - 60_000
const env = { DATABASE_URL: database.url }
const unknown = '5b4e9d3c-8a1f-4c62-9f0b-1d2e3f4a5b6c'
const bill = {
  type: { localInstrumentCode: 'MASAV' },
  maximumAmount: { currency: 'ILS', amount: '900.00' },
  creditor: { name: 'Galil Water Works' },
  debtor: { name: 'Noa Levi' },
  debtorAccount: { iban: 'IL030205710000000200285' },
}

/** Runs a command with --json that must succeed, and reads its result. */
async function json(...args: string[]) {
  const outcome = await tollgate(env, 'sandbox', ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

const consentOf = async (consentId: string) =>
  (await bank.call({ operation: 'getConsent', path: { consentId } })).body

t.test('everybody who lives in the sandbox is listed, without any database', async (t) => {
  const table = await tollgate({}, 'sandbox', 'people')
  t.match(table, { code: 0, stderr: '' })
  for (const { id, alias, name } of sandboxPsus) {
    for (const word of [id, alias, name]) t.match(table.stdout, word)
  }
  const { items } = await json('people')
  t.equal(items.length, sandboxPsus.length)
  t.match(items[0], {
    psuId: '305567661',
    behaves: 'approves everything',
    accounts: [{ iban: 'IL030205710000000200285', currency: 'ILS', status: 'enabled' }],
    card: { maskedPan: '453201xxxxxx8812' },
  })
})

t.test('a consent is suspended, resumed and revoked, and its TPP sees each of it', async (t) => {
  const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
  const read = () => bank.call({ operation: 'listAccounts', headers: { 'consent-id': consentId } })
  for (const [change, consentStatus, status] of [
    ['suspend', 'suspendedByASPSP', 401],
    ['resume', 'valid', 200],
    ['revoke', 'revokedByPsu', 401],
  ] as const) {
    t.same(await json('consent', consentId, change), { consentId, consentStatus })
    const lastActionDate = onDay(Date.now(), 'Asia/Jerusalem')
    t.match(await consentOf(consentId), { consentStatus, lastActionDate })
    t.equal((await read()).status, status, change)
  }
})

t.test('a mandate is suspended, collected again once resumed, and revoked', async (t) => {
  const resourceId = await approvedMandate(bank, bill, noa)
  const refusal = async (amount: string) =>
    (await tollgate(env, 'sandbox', 'collect', resourceId, amount)).stderr
  t.same(await json('mandate', resourceId, 'suspend'), { resourceId, mandateStatus: 'suspended' })
  t.match(await refusal('10'), 'returns the collection: MD01: the mandate is suspended')
  t.same(await json('mandate', resourceId, 'resume'), { resourceId, mandateStatus: 'valid' })
  t.match(await refusal('900.01'), 'AM02: the mandate allows at most 900.00')
  t.match(await refusal('ten'), 'AM12')

  const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
  const collected = await json('collect', resourceId, '123.45', '--remittance', 'Water 11/2026')
  t.match(collected, { day: /^\d{4}-\d{2}-\d{2}$/, mandateStatus: 'valid' })
  const { body } = await bank.call({
    operation: 'getAccountTransaction',
    path: { 'account-id': collected.accountId, transactionId: collected.transactionId },
    headers: { 'consent-id': consentId },
  })
  t.match(body.transactionsDetails.transactionDetails, {
    transactionAmount: { currency: 'ILS', amount: '-123.45' },
    remittanceInformationUnstructured: 'Water 11/2026',
    creditorName: 'Galil Water Works',
  })

  t.same(await json('mandate', resourceId, 'revoke'), {
    resourceId,
    mandateStatus: 'revokedByPsu',
  })
  t.match(await statusOf(bank, resourceId), {
    mandateStatus: 'revokedByPsu',
    mandateReasonCode: 'MD16',
  })
})

t.test('what cannot be done is said with what can', async (t) => {
  const onPage = { ...noa, 'tpp-redirect-uri': 'https://tpp.example/back' }
  const { body: waiting } = await createMandate(bank, bill, onPage)
  const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
  await bank.call({ operation: 'getConsentStatus', path: { consentId } })
  for (const [args, code, said] of [
    [['consent', consentId, 'resume'], 1, `${consentId} is valid; possible now: suspend, revoke`],
    [['consent', unknown, 'revoke'], 1, `tollgate: no consent "${unknown}"\n`],
    [['consent', "x'; --", 'revoke'], 1, 'tollgate: no consent "x\'; --"\n'],
    [['consent', consentId, 'delete'], 2, 'Allowed choices are suspend, resume, revoke'],
    [['mandate', waiting.mandateResourceId, 'suspend'], 1, 'is received; possible now: nothing'],
    [['mandate', consentId, 'suspend'], 1, `tollgate: no mandate "${consentId}"\n`],
    [['collect', 'x', '10'], 1, 'tollgate: no mandate "x"\n'],
    [['collect', unknown, '10', '--remittance', 'x'.repeat(141)], 1, 'more than 140 characters'],
  ] as const) {
    const outcome = await tollgate(env, 'sandbox', ...args)
    t.match(outcome, { code, stdout: '' }, args.join(' '))
    t.match(outcome.stderr, said)
  }
})

/** How many rows each table of the bank has, and what its accounts have. */
async function contents() {
  const db = database.database.connect<unknown>()
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'bank'
    order by 1`.execute(db)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(`bank.${name}`)}`.execute(db)
    counts[name] = rows[0]?.count ?? 0
  }
  const { rows: accounts } = await sql`
    select id, booked, last_sequence from bank.accounts order by id`.execute(db)
  return { counts, accounts }
}

t.test('a reset says what it would do, then leaves the bank as on the first day', async (t) => {
  const { application } = await testApplication(stores)
  const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
  const before = await contents()
  t.ok((before.counts['mandates'] ?? 0) > 0)

  const asked = await tollgate(env, 'sandbox', 'reset')
  t.equal(asked.code, 1)
  t.match(asked.stdout, /^would delete: consents \d+, payments 0, mandates \d+\n$/)
  t.match(asked.stderr, /Nothing was changed\. With --yes/)
  t.same(await contents(), before)

  const outcome = await tollgate(env, 'sandbox', 'reset', '--yes', '--json')
  t.match(outcome, { code: 0, stderr: /Every Consent-ID .* that of the demonstration too/ })
  t.match(JSON.parse(outcome.stdout), {
    reset: true,
    deleted: {
      consents: before.counts['consents'],
      payments: 0,
      mandates: before.counts['mandates'],
    },
  })
  const after = await contents()
  t.equal(after.counts['psus'], sandboxPsus.length)
  t.same(
    Object.entries(after.counts)
      .filter(([, count]) => count > 0)
      .map(([name]) => name),
    ['accounts', 'card_accounts', 'card_transactions', 'psus', 'standing_orders', 'transactions'],
  )
  t.equal(
    (await bank.call({ operation: 'getConsent', path: { consentId } })).status,
    403,
    'the consent is unknown',
  )
  t.match(await stores.applications.find(application.id), { id: application.id })

  await tollgate(env, 'sandbox', 'reset', '--yes')
  t.same(await contents(), after, 'the same again')
})

t.test(
  'commands work beside a running process and on the folder it has left',
  { timeout: 90_000 },
  async (t) => {
    const running = await runTollgate(t)
    const { consentId, dataDir } = running
    const beside = { DATA_DIR: dataDir }
    const accounts = () =>
      fetch(`${running.urls.gateway}/v1.7.0/accounts`, {
        headers: {
          'x-api-key': running.key,
          'x-request-id': crypto.randomUUID(),
          'consent-id': consentId,
          'psu-ip-address': '127.0.0.1',
        },
      })
    t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'suspend'), { code: 0 })
    t.equal((await accounts()).status, 401)
    t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'resume'), { code: 0 })
    t.equal((await accounts()).status, 200)
    t.match(await tollgate(beside, 'sandbox', 'reset', '--yes'), { code: 0, stderr: /stopped/ })
    t.equal((await accounts()).status, 400, 'nobody knows the consent')
    await running.close()
    t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'suspend'), {
      code: 1,
      stderr: `tollgate: no consent "${consentId}"\n`,
    })
    t.match(await tollgate(beside, 'sandbox', 'reset', '--yes'), {
      code: 0,
      stdout: 'deleted: consents 0, payments 0, mandates 0\n',
    })
  },
)
