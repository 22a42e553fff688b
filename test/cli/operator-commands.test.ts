import t from 'tap'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { explain } from '../../src/gateway/explain.ts'
import { controlSocketName, createControl } from '../../src/gateway/operate/control.ts'
import { socketPathIn } from '../../src/platform/database/data-folder.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { PortalSchema } from '../../src/portal/stores/schema.ts'
import { tollgate } from '../support/cli.ts'
import { testDatabase, testDataDir } from '../support/database.ts'
import { publishedCatalogue } from '../support/published-catalogue.ts'
import { testApplication, testStores } from '../support/registry.ts'

const catalogue = await publishedCatalogue()
const { database, url } = await testDatabase(t)
const stores = await testStores(database)
const env = {
  DATABASE_URL: url,
  DATA_DIR: await testDataDir(t),
  KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
}

/** Runs a command with --json that must succeed, and reads its result. */
async function json(...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

t.test(
  'an operator is added, made when new, listed and removed, and that is on record',
  async (t) => {
    const added = await json('operator', 'add', 'Olga@bank.example', '--name', 'Olga')
    t.match(added, {
      email: 'Olga@bank.example',
      name: 'Olga',
      isOperator: true,
      enrolUrl: /^http:\/\/localhost:8081\/enrol#token=[A-Za-z0-9_-]{43}$/,
    })
    const { enrolUrl, ...again } = await json('operator', 'add', 'olga@BANK.example')
    t.match({ ...again, enrolUrl: added.enrolUrl }, added, 'once, in whatever case')
    t.not(enrolUrl, added.enrolUrl, 'each time with a new link')
    const { developer } = await testApplication(stores)
    t.match(await json('operator', 'add', developer.email), { id: developer.id, isOperator: true })
    t.match(await json('operator', 'list'), { items: [{ id: added.id }, { id: developer.id }] })
    t.match(await json('operator', 'remove', 'olga@bank.example'), { isOperator: false })
    t.match(await json('operator', 'remove', added.id), { isOperator: false })
    t.match(await json('operator', 'list'), { items: [{ id: developer.id }] })
    t.match(await stores.audit.list({ subject: `developer:${added.id}`, limit: 9 }), [
      { actor: /^operator:/, action: 'operator.remove', detail: { isOperator: 'false' } },
      { actor: /^operator:/, action: 'factor.issue-enrolment' },
      { actor: /^operator:/, action: 'factor.issue-enrolment' },
      { actor: /^operator:/, action: 'operator.add', detail: { isOperator: 'true' } },
      { actor: /^operator:/, action: 'developer.create' },
    ])
  },
)

/** Token of the link that a command printed. */
const tokenIn = (text: string) => /\/enrol#token=([A-Za-z0-9_-]{43})$/m.exec(text)?.[1] ?? ''

t.test('adding prints the link of an enrolment, and what is wrong', async (t) => {
  const add = (others: Record<string, string>, address = 'ops@bank.example') =>
    tollgate({ ...env, ...others }, 'operator', 'add', address)
  const words = await add({})
  t.match(words, {
    code: 0,
    stderr: /^Open this link .*\nhttp:\/\/localhost:8081\/enrol#token=/,
  })
  t.notMatch(words.stdout, 'enrol', 'the link is not part of the result')
  t.ok(await stores.mailTokens.find('enrolment', tokenIn(words.stderr)))
  const named = await add({ PORTAL_PUBLIC_URL: 'https://developer.bank.example' })
  t.match(named.stderr, 'https://developer.bank.example/enrol#token=')
  t.equal(await stores.mailTokens.find('enrolment', tokenIn(words.stderr)), undefined, 'ended')
  const anyPort = await add({ PORTAL_PORT: '0' })
  t.match(anyPort.stderr, /^Open this path of the portal .*\n\/enrol#token=/)
  t.match(await add({}, 'no address'), { code: 1, stderr: /email must be/ })
  t.match(await tollgate(env, 'operator', 'remove', 'nobody@bank.example'), {
    code: 1,
    stderr: 'tollgate: no developer "nobody@bank.example"\n',
  })
})

t.test(
  'a lost second factor is reset: an operator gets a new link, a developer none',
  async (t) => {
    const email = 'lost@bank.example'
    const { id } = await json('operator', 'add', email)
    const totp = { developer_id: id, sealed: Buffer.from('sealed'), last_step: 1 }
    await database.connect<PortalSchema>().insertInto('totp_secrets').values(totp).execute()
    const known = await tollgate(env, 'operator', 'add', email)
    t.match(known, {
      code: 0,
      stderr: /^The account needs no link: it already has a second factor/,
    })
    t.match(await json('operator', 'add', email), { id, enrolUrl: null })
    t.match(await json('operator', 'reset-factor', email), { id, enrolUrl: /\/enrol#token=/ })
    t.equal((await stores.factors.find(id)).totp, null)

    const { developer } = await testApplication(stores)
    const reset = await tollgate(env, 'operator', 'reset-factor', developer.email)
    t.match(reset, { code: 0, stderr: /signs in with the password alone/ })
    t.match(await json('operator', 'reset-factor', developer.email), { enrolUrl: null })
    t.match(await tollgate(env, 'operator', 'reset-factor', 'nobody@bank.example'), { code: 1 })
  },
)

t.test('making a developer an operator also approves a waiting account', async (t) => {
  const { developer } = await testApplication(stores)
  await database
    .connect<{ developers: { id: string; approved_at: Date | null } }>()
    .updateTable('developers')
    .set({ approved_at: null })
    .where('id', '=', developer.id)
    .execute()
  await json('operator', 'add', developer.email)
  t.type((await stores.directory.developer(developer.id))?.approvedAt, Date)
})

t.test('an override is added, shown where limits are shown, and ended', async (t) => {
  const { application } = await testApplication(stores)
  const { id } = application
  const subscription = {
    applicationId: id,
    api: 'xs2a',
    version: '1.7.0',
    plan: 'default',
    by: 'system',
  }
  await stores.subscriptions.add(subscription)
  const of = ['--application', id]
  const what = [
    '--api',
    'xs2a@1.7.0',
    '--calls',
    '250',
    '--until',
    '2099-01-31',
    '--reason',
    'a test',
  ]
  const made = await json('override', 'add', ...of, ...what)
  t.match(made, {
    applicationId: id,
    limit: 'default',
    calls: 250,
    expiresAt: '2099-01-31T00:00:00.000Z',
    createdBy: /^operator:/,
  })
  t.same(await json('override', 'list', ...of), { items: [made] })
  t.match((await tollgate(env, 'override', 'list', ...of)).stdout, 'a test')

  const counter = await createMemoryCounter({ log: createLog('silent') })
  const control = createControl({ counter })
  await control.listen({ path: socketPathIn(env.DATA_DIR, controlSocketName) })
  t.teardown(async () => {
    await control.close()
    await counter.close()
  })
  const one = ['--api', 'xs2a@1.7.0', '--operation', 'listAccounts']
  const used = await json('counter', 'list', ...of, ...one)
  t.match(used.items, [{ limit: 250, used: 0, remaining: 250 }])

  const { key } = await stores.keys.issue({ applicationId: id, by: 'system' })
  const explained = () =>
    explain({
      method: 'GET',
      target: '/v1.7.0/accounts',
      key,
      catalogue,
      registry: { authenticate: (text, done) => void stores.recognise(text).then(done) },
      counter,
      now: Date.now,
    })
  const override = { until: '2099-01-31T00:00:00.000Z', planCalls: 100 }
  t.match(await explained(), { decision: 'admit', limits: [{ calls: 250, override }] })

  t.same(await json('override', 'end', made.id, ...of), { id: made.id })
  t.same(await json('override', 'list', ...of), { items: [] })
  t.match((await json('counter', 'list', ...of, ...one)).items, [{ limit: 100 }])
  t.same(
    (await explained()).limits?.map(({ calls, override }) => ({ calls, override })),
    [{ calls: 100, override: undefined }],
  )
})

t.test('what no override can be is refused with what is possible', async (t) => {
  const { application } = await testApplication(stores)
  const add = (changes: Record<string, string>) => {
    const options = {
      application: application.id,
      api: 'xs2a@1.7.0',
      calls: '5',
      until: '2099-01-31',
      reason: 'x',
      ...changes,
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    return tollgate(env, 'override', 'add', ...args)
  }
  t.match(await add({ api: 'xs2a@9.9.9' }), { code: 1, stderr: /choose one of: .*xs2a@1\.7\.0/ })
  t.match(await add({ api: 'xs2a' }), { code: 2 })
  t.match(await add({ limit: 'daily' }), { code: 1, stderr: /it has: default/ })
  t.match(await add({ calls: '0' }), { code: 2 })
  t.match(await add({ until: '2020-01-31' }), {
    code: 2,
    stderr: /--until <time>.*must be in the future/,
  })
  t.match(await add({ reason: '' }), { code: 1, stderr: /reason must be 1 to 500 characters/ })
  t.match(await add({ application: 'x' }), { code: 1, stderr: /no application "x"/ })
  t.match(await add({}), { code: 0 })
  t.match(await add({}), { code: 1, stderr: /end it first/ })
})
