import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tollgate } from '../support/cli.ts'
import { testDataDir } from '../support/database.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'
import { testConfigDir } from '../support/tollgate.ts'

const minimal = { CONFIG_DIR: 'test/catalogue/fixtures/minimal' }
const broken = { CONFIG_DIR: 'test/catalogue/fixtures/bad/limit-window' }

function rewrite(file: string, edit: (text: string) => string): void {
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
}

t.test('check says what is published and exits 0', async (t) => {
  const { stdout, code } = await tollgate(minimal, 'check')
  t.equal(code, 0)
  for (const text of [
    'library',
    '1.1.0',
    'sunset 2027-10-31',
    'Default Plan',
    '100 calls to each operation per hour',
  ]) {
    t.ok(stdout.includes(text), text)
  }
  const asJson = await tollgate(minimal, 'check', '--json')
  t.match(JSON.parse(asJson.stdout), {
    ok: true,
    versions: [
      { api: 'library', version: '1.0.0', operations: 4, plans: ['default'] },
      { api: 'library', version: '1.1.0', operations: 3, plans: ['default'] },
    ],
    plans: [{ name: 'default', limits: [{ calls: 100, windowSeconds: 3600 }] }],
  })
})

t.test(
  'check warns of a sample that a guide of the portal shows and a document lacks',
  async (t) => {
    const config = testConfigDir(t)
    const versions = join(config, 'apis', 'xs2a')
    // One day its sunset is over, of which check warns.
    rewrite(join(versions, '1.6.0.yaml'), (text) =>
      text.replace(/sunset: '[\d-]+'/, "sunset: '9999-12-31'"),
    )
    const whole = await tollgate({ CONFIG_DIR: config }, 'check', '--json')
    t.strictSame(JSON.parse(whole.stdout).warnings, [])
    rewrite(join(versions, '1.7.0.yaml'), (text) => text.replace(/^\s+- getConsentStatus\n/m, ''))
    const warning =
      'Warning: xs2a 1.7.0 has no sample of getConsentStatus (x-sample-flows), so the guide consent shows none.'
    const { stdout, code } = await tollgate({ CONFIG_DIR: config }, 'check')
    t.equal(code, 0)
    t.ok(stdout.startsWith(`${warning}\n`), stdout.slice(0, 300))
    const asJson = await tollgate({ CONFIG_DIR: config }, 'check', '--json')
    t.match(JSON.parse(asJson.stdout), { ok: true, warnings: [warning] })
  },
)

t.test('check warns of what is valid but probably a mistake, and exits 0', async (t) => {
  const config = testConfigDir(t, { calls: 3, window: 'PT1H' })
  const setLifecycle = (version: string, members: string) =>
    rewrite(join(config, 'apis', 'xs2a', `${version}.yaml`), (text) =>
      text
        .replace(/^.*x-lifecycle:.*\n/m, '')
        .replace(/^ +version:.*\n/m, `$&  x-lifecycle: { ${members} }\n`),
    )
  setLifecycle('1.6.0', "deprecated: '2024-04-14', sunset: '2025-10-31', successor: '1.7.0'")
  setLifecycle('1.7.0', "retired: '2026-01-31', successor: '1.6.0'")
  const plans = join(config, 'plans')
  const plan = readFileSync(join(plans, 'default.yaml'), 'utf8')
  const second = '\n  - { name: whole, calls: 2, window: PT1H, scope: plan }\nmode:'
  writeFileSync(join(plans, 'default.yaml'), plan.replace('\nmode:', second))
  writeFileSync(join(plans, 'twin.yaml'), plan.replace(/calls: 3/, 'calls: 5'))
  const env = { CONFIG_DIR: config, GATEWAY_PROCESSES: '4', REDIS_URL: 'redis://127.0.0.1:1' }
  const { stdout, code } = await tollgate(env, 'check', '--json')
  t.equal(code, 0)
  const found: string[] = JSON.parse(stdout).warnings
  for (const warning of [
    'xs2a@1.6.0 names 1.7.0 as its successor, which is retired since 2026-01-31.',
    'the sunset of xs2a@1.6.0 passed on 2025-10-31, and its calls still work: set retired, or a later sunset.',
    'xs2a@1.7.0 names 1.6.0 as its successor, whose own sunset passed on 2025-10-31.',
    'xs2a@1.7.0 is in two plans with the title “Default Plan”: default and twin.',
    'limit default of plan default allows 3 calls, fewer than GATEWAY_PROCESSES (4): while Redis is away, some processes admit no call.',
    'limit default of plan default never decides, because whole refuses the same calls first.',
  ]) {
    t.ok(found.includes(`Warning: ${warning}`), warning)
  }
  t.notOk(
    found.some((warning) => warning.includes('plan twin')),
    'a limit of 5 is enough for 4',
  )
})

t.test('check warns of versions of one API that are the same at their backend', async (t) => {
  const config = ownApis(t, {
    'a/1.json': ownDocument(['GET /things/{id}'], { 'x-tollgate': { prefix: '/one' } }),
    'a/2.json': ownDocument(['GET /things/{thing}'], { 'x-tollgate': { prefix: '/two' } }),
    'b/1.json': ownDocument(['GET /things/{id}'], {
      info: { title: 'Others', version: '1' },
      'x-tollgate': { prefix: '/b' },
    }),
  })
  const { stdout, code } = await tollgate({ CONFIG_DIR: config }, 'check', '--json')
  t.equal(code, 0)
  const same = JSON.parse(stdout).warnings.filter((text: string) => text.includes('the same at'))
  t.match(same, [/a@1 and a@2 are the same at their backend, for example GET \/things\/\{id\}/])
  t.equal(same.length, 1)
})

t.test(
  'check shows one warning of each kind, and says what more --strict would list',
  async (t) => {
    const env = {
      CONFIG_DIR: ownApis(t, { 'a/1.json': ownDocument(['GET /a', 'GET /b', 'GET /c']) }),
    }
    const { stdout, code } = await tollgate(env, 'check')
    t.equal(code, 0)
    t.match(stdout, /^Warning: .*1\.json:1 operation-id-missing: .* And 2 more\.\n/)
    t.equal(stdout.match(/^Warning/gm)?.length, 1)
    const hint =
      'tollgate check --strict lists all warnings, and also checks that schemas are exact.'
    t.ok(stdout.trim().endsWith(`The configuration is valid. ${hint}`), stdout)
  },
)

t.test('check says which brand is set', async (t) => {
  const config = testConfigDir(t)
  const brand = [
    'name: { en: Sons Bank, he: בנק הבנים }',
    'accent: "#1d4ed8"',
    'terms: { version: "2026-11", url: https://bank.example/terms }',
    'support: mailto:apis@bank.example',
  ]
  writeFileSync(join(config, 'brand.yaml'), `${brand.join('\n')}\n`)
  const { stdout } = await tollgate({ CONFIG_DIR: config }, 'check')
  t.match(
    stdout,
    'Brand: Sons Bank, בנק הבנים, accent #1d4ed8 (dark: #5a8cfd), icon, terms of version 2026-11, support.\nThe configuration is valid.\n',
  )
})

t.test('check says in which time zone the day of a limit is a calendar day', async (t) => {
  const config = testConfigDir(t)
  writeFileSync(
    join(config, 'plans', 'default.yaml'),
    `title: Default Plan
apis: ['mandate@*', 'xs2a@*']
timeZone: Europe/Berlin
limits:
  - { name: fixed, calls: 1, window: PT24H, scope: plan }
  - { name: local, calls: 2, window: P1D, scope: plan }
mode: enforce
onStoreOutage: deny
`,
  )
  const { stdout } = await tollgate({ CONFIG_DIR: config }, 'check')
  t.match(stdout, 'fixed: 1 call to the version per day (UTC)')
  t.match(stdout, 'local: 2 calls to the version per calendar day (Europe/Berlin)')
})

t.test(
  'check of a broken configuration prints file, line, rule and an example, and exits 1',
  async (t) => {
    const file = `${broken.CONFIG_DIR}/plans/default.yaml`
    const { stdout, code } = await tollgate(broken, 'check')
    t.equal(code, 1)
    t.match(
      stdout,
      `plans/default.yaml:6 limit-window: limits[0].window: "1 hour" is neither P1M nor an ISO 8601 duration of fixed length from PT1S to P365D (e.g. PT1H)\n1 problem in the configuration.\n`,
    )
    const asJson = await tollgate(broken, 'check', '--json')
    t.equal(asJson.code, 1)
    const { ok, problems } = JSON.parse(asJson.stdout)
    t.equal(ok, false)
    t.match(problems, [{ line: 6, rule: 'limit-window', example: 'PT1H' }])
    t.ok(problems[0].file.endsWith(file), problems[0].file)
  },
)

t.test('check lists an API of BACKEND_URLS that is not published, also as JSON', async (t) => {
  const env = { ...minimal, BACKEND_URLS: 'libary=http://127.0.0.1:1' }
  const problem = 'BACKEND_URLS: there is no API "libary" in CONFIG_DIR; do you mean library?'
  t.strictSame(await tollgate(env, 'check'), {
    stdout: `${problem}\n1 problem in the configuration.\n`,
    stderr: '',
    code: 1,
  })
  const { stdout, code } = await tollgate(env, 'check', '--json')
  t.equal(code, 1)
  t.strictSame(JSON.parse(stdout), { ok: false, problems: [{ message: problem }] })
})

t.test('a misspelt API of BACKEND_URLS has a suggestion, however short its name', async (t) => {
  for (const [wrong, api, hint] of [
    ['bnak', 'bank', 'do you mean bank?'],
    ['sotre', 'store', 'do you mean store?'],
    ['pet', 'pets', 'do you mean pets?'],
    ['xs2', 'xs2a', 'do you mean xs2a?'],
    ['cat', 'pet', 'APIs are pet'],
  ] as const) {
    const CONFIG_DIR = ownApis(t, { [`${api}/1.json`]: ownDocument(['GET /a']) })
    const env = { CONFIG_DIR, BACKEND_URLS: `${wrong}=http://127.0.0.1:1` }
    const { stdout } = await tollgate(env, 'check')
    t.match(stdout, `BACKEND_URLS: there is no API "${wrong}" in CONFIG_DIR; ${hint}\n`)
  }
})

t.test('diff names what was removed, and the applications that use the old version', async (t) => {
  const env = { ...minimal, DATA_DIR: await testDataDir(t) }
  const onboarding = ['--email', 'ada@example.com', '--application', 'Reading room']
  const onboarded = await tollgate(env, 'onboard', ...onboarding, '--api', 'library@1.0.0')
  t.equal(onboarded.code, 0)
  const diff = ['diff', 'library', '1.0.0', '1.1.0']
  const { stdout, code } = await tollgate(env, ...diff, '--applications')
  t.equal(code, 0)
  t.match(stdout, '\nPrefix: /v1.0.0 -> /v1.1.0 (every path begins with it)\n')
  t.match(stdout, /removeBook.*DELETE.*\/books\/\{book-id\}/)
  t.match(stdout, /subscribed to the old version:\n {2}Reading room \([0-9a-f-]{36}\)\n/)
  const asJson = await tollgate(env, ...diff, '--applications', '--json')
  t.match(JSON.parse(asJson.stdout), {
    api: 'library',
    from: '1.0.0',
    to: '1.1.0',
    prefix: { from: '/v1.0.0', to: '/v1.1.0' },
    added: [],
    removed: [{ id: 'removeBook' }],
    changed: [],
    subscribers: [/^Reading room /],
  })
  const replayed = await tollgate(env, ...diff, '--replay')
  t.match(replayed.stdout, /Recorded calls of Reading room .*: 0, so nothing is predicted\./)
})

t.test('diff replays the calls of one application only with --replay', async (t) => {
  t.match(await tollgate(minimal, 'diff', 'library', '1.0.0', '1.1.0', '--application', 'x'), {
    code: 2,
    stderr: '--application needs --replay',
  })
})

t.test('diff of a version with itself reports no difference and asks no database', async (t) => {
  // No database answers there.
  const env = { ...minimal, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const { stdout, code } = await tollgate(
    env,
    'diff',
    'library',
    '1.0.0',
    '1.0.0',
    '--applications',
  )
  t.equal(code, 0)
  t.equal(stdout.trim(), 'library 1.0.0 -> 1.0.0\nNo operation was added, removed or changed.')
})

t.test('diff of what is not published names what is, and exits 1 without a result', async (t) => {
  const diffOf = (api: string, to: string, env = minimal) =>
    tollgate(env, 'diff', api, '1.0.0', to, '--json')
  t.strictSame(await diffOf('library', '9.0.0'), {
    stdout: '',
    stderr: 'tollgate: library has no version 9.0.0; there are: library@1.0.0, library@1.1.0\n',
    code: 1,
  })
  t.match(
    (await diffOf('cinema', '1.1.0')).stderr,
    'there is no API cinema; there are: library@1.0.0',
  )
  t.match(await diffOf('demo', '1.1.0', broken), { stdout: '', stderr: /limit-window/, code: 1 })
})
