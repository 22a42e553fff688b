import { sql } from 'kysely'
import t from 'tap'
import { onDay } from '../../src/backend/domain/bank-time.ts'
import { sandboxPsus } from '../../src/backend/sandbox/personas.ts'
import { bankDatabase, testBank } from '../support/bank.ts'
import { tollgate, tollgateOnTerminal } from '../support/cli.ts'
import { givenConsent } from '../support/consent.ts'
import { approvedMandate, createMandate, noa, statusOf } from '../support/mandates.ts'
import { testApplication, testStores } from '../support/registry.ts'
import { runTollgate } from '../support/tollgate.ts'

const database = await bankDatabase(t)
const stores = await testStores(database.database)
const bank = await testBank(t, { database })
// Commands live in our time.
bank.clock.now = Date.now() - 60_000
const env = { DATABASE_URL: database.url, KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else' }
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

const today = () => onDay(Date.now(), 'Asia/Jerusalem')

const consentOf = async (consentId: string) =>
  (await bank.call({ operation: 'getConsent', path: { consentId } })).body

t.test('every customer of the sandbox is listed, without any database', async (t) => {
  const table = await tollgate({}, 'sandbox', 'customers')
  t.match(table, { code: 0, stderr: '' })
  for (const { id, alias, name } of sandboxPsus) {
    for (const word of [id, alias, name]) t.match(table.stdout, word)
  }
  t.match(table.stdout, '(closed)')
  t.match(table.stdout, '(blocked)')
  const { items } = await json('customers')
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
    const days = new Set([today()])
    t.same(await json('consent', consentId, change), { consentId, consentStatus })
    // The day may end while the command runs.
    days.add(today())
    const consent = await consentOf(consentId)
    t.equal(consent.consentStatus, consentStatus)
    t.ok(days.has(consent.lastActionDate), consent.lastActionDate)
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

t.test('an error names what can be done instead', async (t) => {
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

const onboarding = ['onboard', '--email', 'nina@example.com', '--application', 'Pocket money']

t.test('onboard makes a key and a consent that read accounts at once', async (t) => {
  const made = await tollgate(
    env,
    ...onboarding,
    '--api',
    'mandate@1.0.0',
    'xs2a@1.6.0',
    '--consent',
    '--json',
  )
  t.match(made, { code: 0, stderr: '' })
  const { key, applicationId, consentId } = JSON.parse(made.stdout)
  t.match(key, /^tg_/)
  const listed = await bank.call({
    operation: 'listAccounts',
    headers: { 'consent-id': consentId },
    applicationId,
  })
  t.equal(listed.status, 200)
  const again = await tollgate(env, ...onboarding, '--api', 'xs2a@1.7.0', '--consent')
  t.match(
    again.stdout,
    /^ {2}curl http:\/\/127\.0\.0\.1:8080\/v1\.7\.0\/accounts -H "X-API-Key: tg_/m,
  )
})

t.test('onboard makes nothing where it can make no consent', async (t) => {
  for (const [given, api, said] of [
    [{ SANDBOX: 'off' }, 'xs2a@1.7.0', 'has no sandbox'],
    [{}, 'mandate@1.0.0', '--consent needs an --api with accounts'],
  ] as const) {
    const args = ['onboard', '--email', 'omar@example.com', '--application', 'A', '--consent']
    const refused = await tollgate({ ...env, ...given }, ...args, '--api', api)
    t.match(refused, { code: 1, stdout: '' })
    t.match(refused.stderr, said)
  }
  t.equal((await tollgate(env, 'developer', 'show', 'omar@example.com')).code, 1)
})

t.test(
  'onboard leaves the working consent of an application that may have no other key',
  async (t) => {
    const args = ['onboard', '--email', 'lea@example.com', '--application', 'Full']
    const again = [...args, '--api', 'xs2a@1.7.0', '--consent', '--json']
    const { applicationId, consentId } = JSON.parse((await tollgate(env, ...again)).stdout)
    const consents = async () => {
      const { rows } = await sql<{ id: string; status: string }>`
      select id, status from bank.consents where application_id = ${applicationId}`.execute(
        database.database.connect<unknown>(),
      )
      return rows
    }
    for (let count = 1; count < 10; count++) await stores.keys.issue({ applicationId, by: 'test' })
    const full = await tollgate(env, ...again)
    t.match(full, { code: 1, stdout: '', stderr: /at most 10 active keys/ })
    t.same(await consents(), [{ id: consentId, status: 'valid' }])

    await stores.applications.suspend({ id: applicationId, by: 'test' })
    const suspended = await tollgate(env, ...again)
    t.match(suspended, { code: 1, stdout: '', stderr: /suspended/ })
    t.same(await consents(), [{ id: consentId, status: 'valid' }])
  },
)

t.test('onboard shows the key even if the bank can make no consent', async (t) => {
  const db = database.database.connect<unknown>()
  await sql`alter table bank.consent_access rename to gone`.execute(db)
  t.teardown(() => sql`alter table bank.gone rename to consent_access`.execute(db))
  const args = ['onboard', '--email', 'ziv@example.com', '--application', 'A', '--consent']
  const made = await tollgate(env, ...args, '--api', 'xs2a@1.7.0', '--json')
  t.match(made, { code: 1, stderr: /the key works, but there is no consent: / })
  const { key, consentId } = JSON.parse(made.stdout)
  t.match(key, /^tg_/)
  t.equal(consentId, undefined)
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

t.test(
  'a reset says what it would do and asks, then leaves the bank as on the first day',
  async (t) => {
    const { application } = await testApplication(stores)
    const consentId = await givenConsent(bank, { allPsd2: 'allAccounts' })
    const before = await contents()
    t.ok((before.counts['mandates'] ?? 0) > 0)

    const asked = await tollgate(env, 'sandbox', 'reset')
    t.equal(asked.code, 2)
    t.match(asked.stdout, /^would delete: consents \d+, payments 0, mandates \d+\n$/)
    t.match(asked.stderr, /nothing was changed; add --yes/)
    const unanswered = await tollgateOnTerminal('yes', env, 'sandbox', 'reset', '--json')
    t.equal(unanswered.code, 2, 'a program reads JSON')
    for (const answer of ['no\n', '\n', '']) {
      const refused = await tollgateOnTerminal(answer, env, 'sandbox', 'reset')
      t.match(refused, { code: 1, stdout: '', stderr: /^This deletes: consents \d+, .*"yes"/ })
      t.match(refused.stderr, 'Nothing was changed.')
    }
    t.same(await contents(), before)

    const outcome = await tollgate(env, 'sandbox', 'reset', '--yes', '--json')
    t.match(outcome, {
      code: 0,
      stderr: /Earlier Consent-IDs .* including the one from the first start/,
    })
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

    t.match(await tollgateOnTerminal('yes\n', env, 'sandbox', 'reset'), {
      code: 0,
      stdout: 'deleted: consents 0, payments 0, mandates 0\n',
    })
    t.same(await contents(), after, 'the same again')
  },
)

t.test('commands work beside a running process and on the folder it has left', async (t) => {
  const running = await runTollgate(t, { isEmbedded: true })
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
  const onboarded = await tollgate(beside, ...onboarding, '--api', 'xs2a@1.7.0', '--consent')
  t.match(onboarded.stdout, `curl ${running.urls.gateway}/v1.7.0/accounts`, 'its own port')
  const operator = await tollgate(beside, 'operator', 'add', 'ops@bank.example')
  t.match(operator.stderr, `${running.urls.portal}/enrol`)
  t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'suspend'), { code: 0 })
  t.equal((await accounts()).status, 401)
  t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'resume'), { code: 0 })
  t.equal((await accounts()).status, 200)
  t.match(await tollgate(beside, 'sandbox', 'reset', '--yes'), {
    code: 0,
    stderr: /no longer work/,
  })
  t.equal((await accounts()).status, 400, 'the consent is unknown')
  await running.close()
  t.match(await tollgate(beside, 'sandbox', 'consent', consentId, 'suspend'), {
    code: 1,
    stderr: `tollgate: no consent "${consentId}"\n`,
  })
  const made = await tollgate(beside, ...onboarding, '--api', 'xs2a@1.7.0', '--consent', '--json')
  t.match(
    await tollgate(beside, 'sandbox', 'consent', JSON.parse(made.stdout).consentId, 'revoke'),
    {
      code: 0,
    },
  )
})
