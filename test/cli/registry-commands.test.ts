import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { openDataFolder } from '../../src/platform/database/data-folder.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import {
  databaseBeside,
  startEmbeddedDatabase,
} from '../../src/platform/database/embedded-database.ts'
import { embeddedPepper } from '../../src/registry/keys/key-mac.ts'
import { tollgate, tollgateProcess } from '../support/cli.ts'
import { postgresMissing, startPostgres, testDataDir, testFolder } from '../support/database.ts'
import { registryBeside } from '../support/tollgate.ts'

const log = pino({ level: 'silent' })

/** The parts of a running embedded gateway that a command beside it needs. */
async function runningEmbedded(test: typeof t) {
  const dataDir = await testDataDir(test)
  const folder = await openDataFolder(dataDir)
  await folder.secret(embeddedPepper.name, embeddedPepper.generate)
  const embedded = await startEmbeddedDatabase({ dataDir: folder.path, log })
  test.teardown(async () => {
    await embedded.close()
    await folder.close()
  })
  return { DATA_DIR: dataDir }
}

/** Runs a command with --json that must succeed, and reads its result. */
async function json(env: Readonly<Record<string, string>>, ...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

const env = await runningEmbedded(t)
const ofEscape = ['--application', 'Escape', '--api', 'xs2a@1.7.0']
const onboarding = ['onboard', '--email', 'ada@example.com', '--application', 'Ledger']

t.test('a command that creates the database of DATA_DIR says so, once', async (t) => {
  const DATA_DIR = testFolder(t)
  const list = () => tollgate({ DATA_DIR }, 'application', 'list')
  t.match(await list(), { code: 0, stderr: `DATA_DIR ${DATA_DIR} had no database.` })
  t.notMatch((await list()).stderr, 'had no database')
})

t.test('onboard makes everything once and a new key each time', async (t) => {
  const first = await json(env, ...onboarding, '--api', 'xs2a@1.7.0', 'mandate@1.0.0')
  t.same(Object.keys(first), [
    'developerId',
    'applicationId',
    'isNewApplication',
    'subscriptions',
    'keyId',
    'key',
  ])
  t.match(first.key, new RegExp(`^tg_${first.keyId}_[0-9A-Za-z]{49}$`))
  const second = await json(env, ...onboarding, '--api', 'xs2a@1.7.0', '--api', 'xs2a@1.6.0')
  t.equal(second.developerId, first.developerId)
  t.equal(second.applicationId, first.applicationId)
  t.not(second.key, first.key)
  const application = first.applicationId
  const { items } = await json(env, 'subscription', 'list', '--application', application)
  t.same(
    items.map((item: { api: string; version: string; plan: string }) => [
      item.api,
      item.version,
      item.plan,
    ]),
    [
      ['xs2a', '1.7.0', 'default'],
      ['mandate', '1.0.0', 'default'],
      ['xs2a', '1.6.0', 'default'],
    ],
  )
})

t.test('onboard says what is new, and what was there', async (t) => {
  const onboard = (application: string, ...more: readonly string[]) =>
    tollgate(env, 'onboard', '--email', 'iris@example.com', '--application', application, ...more)
  const first = await onboard('Shop', '--api', 'xs2a@1.7.0')
  t.match(
    first.stderr,
    'New application "Shop". New subscription to xs2a@1.7.0 (plan default). New key.\n',
  )
  const second = await onboard('Shop', '--api', 'xs2a@1.7.0', 'xs2a@1.6.0')
  t.match(
    second.stderr,
    'Existing application "Shop". Existing subscription to xs2a@1.7.0 (plan default). New subscription to xs2a@1.6.0 (plan default). New key; earlier keys stay valid.\n',
  )
  const misspelt = await onboard('Shopp', '--api', 'xs2a@1.7.0')
  t.match(misspelt.stderr, 'New application "Shopp"; the developer also has "Shop". New sub')
  const asJson = await onboard('Shop', '--api', 'xs2a@1.7.0', 'mandate@1.0.0', '--json')
  t.match(JSON.parse(asJson.stdout), {
    isNewApplication: false,
    subscriptions: [
      { api: 'xs2a', version: '1.7.0', plan: 'default', isNew: false },
      { api: 'mandate', version: '1.0.0', plan: 'default', isNew: true },
    ],
  })
})

t.test('standard output is the result alone and never shows a key again', async (t) => {
  const { key, keyId, applicationId } = await json(env, ...onboarding, '--api', 'xs2a@1.7.0')
  for (const args of [
    ['developer', 'list'],
    ['developer', 'show', 'ada@example.com'],
    ['application', 'list'],
    ['key', 'list', '--application', applicationId],
    ['key', 'show', key],
    ['key', 'show', `tg_${keyId}_…${key.slice(-4)}`],
    ['subscription', 'list', '--application', applicationId],
  ]) {
    for (const form of [[], ['--json']]) {
      const outcome = await tollgate(env, ...args, ...form)
      t.equal(outcome.code, 0, args.join(' '))
      t.equal(outcome.stderr, '')
      t.notOk(outcome.stdout.includes(key.slice(16)), 'no key')
      if (form.length > 0) t.equal(typeof JSON.parse(outcome.stdout), 'object')
    }
  }
  const issued = await tollgate(env, 'key', 'issue', '--application', applicationId)
  t.match(issued.stdout, /tg_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/)
  t.match(issued.stderr, 'shown only now')
})

t.test('two who onboard the same names at once share developer and application', async (t) => {
  const args = [
    'onboard',
    '--email',
    'eve@example.com',
    '--application',
    'A',
    '--api',
    'xs2a@1.7.0',
  ]
  const all = await Promise.all([0, 1, 2, 3].map(() => json(env, ...args)))
  t.equal(new Set(all.map(({ applicationId }) => applicationId)).size, 1)
  t.equal(new Set(all.map(({ keyId }) => keyId)).size, 4)
})

t.test('the eleventh key is refused with the limit', async (t) => {
  const args = [
    'onboard',
    '--email',
    'max@example.com',
    '--application',
    'A',
    '--api',
    'xs2a@1.7.0',
  ]
  const { applicationId } = await json(env, ...args)
  const stores = await registryBeside(t, env.DATA_DIR)
  for (let count = 1; count < 9; count++) await stores.keys.issue({ applicationId, by: 'test' })
  await json(env, ...args)
  t.same(await tollgate(env, ...args, '--json'), {
    code: 1,
    stdout: '',
    stderr: 'tollgate: an application may have at most 10 active keys; revoke one first\n',
  })
})

t.test('developers, applications, subscriptions and keys go through their lives', async (t) => {
  const email = 'life@example.com'
  const made = await json(
    env,
    'onboard',
    '--email',
    email,
    '--application',
    'A',
    '--api',
    'xs2a@1.7.0',
  )
  const id = made.applicationId
  t.type((await json(env, 'developer', 'suspend', email)).suspendedAt, 'string')
  t.equal((await json(env, 'developer', 'resume', made.developerId)).suspendedAt, null)
  t.equal((await json(env, 'application', 'rename', id, 'B')).name, 'B')
  t.type((await json(env, 'application', 'suspend', id)).suspendedAt, 'string')
  t.equal((await json(env, 'application', 'resume', id)).suspendedAt, null)
  t.equal((await json(env, 'application', 'strict', id)).strict, true)
  const other = await json(env, 'application', 'create', '--developer', email, '--name', 'C')
  t.same(
    (await json(env, 'application', 'list', '--developer', email)).items.map(
      (item: { name: string }) => item.name,
    ),
    ['B', 'C'],
  )
  t.same(
    (await json(env, 'application', 'list', '--developer', email)).items.map(
      (item: { strict: boolean }) => item.strict,
    ),
    [true, false],
  )
  t.match((await tollgate(env, 'application', 'list', '--developer', email)).stdout, /true/)
  t.equal((await json(env, 'application', 'strict', id, '--off')).strict, false)
  t.same(await json(env, 'application', 'delete', other.id), { id: other.id })

  const added = await json(
    env,
    'subscription',
    'add',
    '--application',
    id,
    '--api',
    'mandate@1.0.0',
  )
  t.equal(
    (await json(env, 'subscription', 'change', added.id, '--plan', 'default')).plan,
    'default',
  )
  t.type((await json(env, 'subscription', 'remove', added.id)).endedAt, 'string')
  t.equal((await json(env, 'subscription', 'list', '--application', id)).items.length, 1)
  t.equal((await json(env, 'subscription', 'list', '--application', id, '--all')).items.length, 2)

  const issued = await json(
    env,
    'key',
    'issue',
    '--application',
    id,
    '--name',
    'ci',
    '--expires',
    '2099-01-31',
  )
  t.match(issued, { name: 'ci', state: 'active', expiresAt: '2099-01-31T00:00:00.000Z' })
  const rotated = await json(env, 'key', 'rotate', issued.id, '--overlap', '60')
  t.equal(rotated.name, 'ci')
  t.equal((await json(env, 'key', 'show', issued.id)).state, 'replaced')
  const old = await tollgate(env, 'key', 'revoke', issued.id)
  t.match(
    old.stderr,
    `still works. If it may have leaked too: tollgate key revoke tg_${rotated.id}`,
  )
  t.same((await json(env, 'key', 'revoke', issued.id)).livingSuccessors, [rotated.id])
  t.match(await json(env, 'key', 'revoke', rotated.id), { state: 'revoked', livingSuccessors: [] })
  t.same((await json(env, 'key', 'revoke', issued.id)).livingSuccessors, [])
  t.same(await json(env, 'developer', 'delete', email), { id: made.developerId })
  t.equal((await tollgate(env, 'application', 'show', id)).code, 1)
})

t.test('an error names what is allowed, and nothing is changed', async (t) => {
  const { applicationId } = await json(env, ...onboarding, '--api', 'xs2a@1.7.0')
  const before = await json(env, 'developer', 'list')
  const onboard = ['onboard', '--email', 'new@example.com', '--application', 'A']
  const unknown = '00000000-0000-4000-8000-000000000000'
  for (const [code, said, ...args] of [
    [
      1,
      'xs2a@9.9.9 is not published; choose one of: mandate@1.0.0, xs2a@1.6.0, xs2a@1.7.0',
      ...onboard,
      '--api',
      'xs2a@9.9.9',
    ],
    [
      1,
      'xs2a@1.7.0 is not in the plan "gold"; choose one of: default',
      ...onboard,
      '--api',
      'xs2a@1.7.0',
      '--plan',
      'gold',
    ],
    [2, '--api "xs2a" is not of the form <api>@<version>', ...onboard, '--api', 'xs2a'],
    [2, "required option '--api <api@version...>' not specified", ...onboard],
    [2, "unknown option '--jsno'", 'developer', 'list', '--jsno'],
    [2, "unknown command 'frobnicate'", 'frobnicate'],
    [2, 'Settings are environment variables: tollgate settings', 'start', '--port', '8090'],
    [2, 'It must be a whole number from 1 to 10000.', 'developer', 'list', '--limit', '0'],
    [
      2,
      'It must be a time from now',
      'key',
      'issue',
      '--application',
      applicationId,
      '--expires',
      '2027-02-31',
    ],
    [2, 'It must be a whole number from 0 to 2592000.', 'key', 'rotate', 'x', '--overlap', '1h'],
    [
      1,
      'email must be an address such as ada@example.com',
      'onboard',
      '--email',
      'x',
      '--application',
      'A',
      '--api',
      'xs2a@1.7.0',
    ],
    [
      2,
      "option '--expires <time>' argument '2020-01-01' is invalid. It must be in the future.",
      'key',
      'issue',
      '--application',
      applicationId,
      '--expires',
      '2020-01-01',
    ],
    [1, 'no developer "nobody@example.com"', 'developer', 'show', 'nobody@example.com'],
    [1, `no application "${unknown}"`, 'key', 'list', '--application', unknown],
    [1, 'no key "zzzzzzzzzzzz"', 'key', 'revoke', 'tg_zzzzzzzzzzzz_Secret0123456789'],
    [1, 'no subscription "x"', 'subscription', 'remove', 'x'],
    [
      1,
      'the application has an active subscription to xs2a@1.7.0',
      'subscription',
      'add',
      '--application',
      applicationId,
      '--api',
      'xs2a@1.7.0',
    ],
  ] as const) {
    const outcome = await tollgate(env, ...args)
    t.equal(outcome.code, code, args.join(' '))
    t.match(outcome.stderr, said)
    t.equal(outcome.stdout, '')
  }
  t.same(await json(env, 'developer', 'list'), before)
})

t.test('a text cannot command the terminal', async (t) => {
  const onboarded = await json(env, 'onboard', '--email', 'esc@example.com', ...ofEscape)
  const of = ['--application', onboarded.applicationId]
  const reason = ['--reason', 'a move']
  const what = ['--api', 'xs2a@1.7.0', '--calls', '5', '--until', '+1d', ...reason]
  await json(env, 'override', 'add', ...of, ...what)
  // As an earlier version or another program may have written it.
  const database = openDatabase({ url: (await databaseBeside(env.DATA_DIR)) ?? '', log })
  t.teardown(() => database.close())
  const hostile = 'a\u001b[31mb\u202ec'
  await sql`update limit_overrides set reason = ${hostile}`.execute(database.connect<unknown>())
  const { stdout } = await tollgate(env, 'override', 'list', ...of)
  t.match(stdout, 'a\ufffd[31mb\ufffdc')
})

t.test('a text that could read as another one is refused wherever it is given', async (t) => {
  const override = ['override', 'add', '--api', 'xs2a@1.7.0', '--calls', '5', '--until', '+1d']
  const named = ['--api', 'xs2a@1.7.0', '--email']
  for (const args of [
    ['onboard', ...named, 'one@example.com', '--application', 'a\u202ec'],
    ['onboard', ...named, 'two@example.com', '--application', 'A', '--name', 'a\u202ec'],
    ['application', 'rename', 'Escape', 'a\u2066c\u2069'],
    ['key', 'issue', '--application', 'Escape', '--name', 'a\u200fc'],
    ['key', 'issue', '--application', 'Escape', '--name', 'a\u200dc'],
    [...override, '--application', 'Escape', '--reason', 'a\u202ec'],
  ]) {
    const outcome = await tollgate(env, ...args)
    t.equal(outcome.code, 1, args.join(' '))
    t.match(
      outcome.stderr,
      /(?:name|reason) must be .* no control characters, invisible marks or marks that change the text/,
    )
  }
})

t.test('help is no mistake and wrong settings are all named', async (t) => {
  t.match(await tollgate({ GATEWAY_PORT: 'x' }, '--help'), { code: 0, stdout: /^Usage: tollgate/ })
  const outcome = await tollgate({ GATEWAY_PORT: 'x', LOG_LEVEL: 'loud' }, 'developer', 'list')
  t.equal(outcome.code, 1)
  t.match(outcome.stderr, /GATEWAY_PORT[\s\S]*LOG_LEVEL/)
})

t.test('with no process running, commands open the folder themselves, one at a time', async (t) => {
  const DATA_DIR = await testDataDir(t)
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      tollgateProcess(
        { DATA_DIR },
        'onboard',
        '--email',
        `${name}@example.com`,
        '--application',
        'A',
        '--api',
        'xs2a@1.7.0',
        '--json',
      ),
    ),
  )
  for (const outcome of outcomes) {
    t.equal(outcome.code, 0, outcome.stderr)
    t.equal(outcome.stderr, '')
    t.match(JSON.parse(outcome.stdout), { key: /^tg_/ })
  }
  const listed = await tollgateProcess({ DATA_DIR }, 'developer', 'list', '--json')
  t.equal(JSON.parse(listed.stdout).items.length, 3)
})

t.test('with DATABASE_URL the pepper is required and the address never repeated', async (t) => {
  const DATABASE_URL = 'postgres://postgres:hunter2@127.0.0.1:1/x'
  const without = await tollgate({ DATABASE_URL }, 'developer', 'list')
  t.equal(without.code, 1)
  t.match(without.stderr, 'KEY_PEPPER')
  const down = await tollgate({ DATABASE_URL, KEY_PEPPER: 'x'.repeat(32) }, 'developer', 'list')
  t.equal(down.code, 1)
  t.match(down.stderr, /the registry cannot be reached .*ECONNREFUSED/)
  t.notOk(down.stderr.includes('hunter2'))
})

t.test('with DATABASE_URL commands work on PostgreSQL', { skip: postgresMissing() }, async (t) => {
  const server = await startPostgres(t)
  const real = { DATABASE_URL: server.url, KEY_PEPPER: `2:${'y'.repeat(32)},1:${'x'.repeat(32)}` }
  const made = await json(real, ...onboarding, '--api', 'xs2a@1.7.0')
  t.match(await json(real, 'key', 'show', made.keyId), { state: 'active' })
})

t.test('an unusable folder is reported', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const long = await tollgate({ DATA_DIR: join(folder, 'x'.repeat(120)) }, 'developer', 'list')
  t.equal(long.code, 1)
  t.match(long.stderr, 'DATA_DIR is too long a path')
  writeFileSync(join(folder, 'file'), '')
  const file = await tollgate({ DATA_DIR: join(folder, 'file') }, 'developer', 'list')
  t.equal(file.code, 1)
  t.match(file.stderr, join(folder, 'file'))
})
