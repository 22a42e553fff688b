import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { controlSocketName, createControl } from '../../src/gateway/operate/control.ts'
import { connectControl } from '../../src/gateway/operate/control-client.ts'
import { socketPathIn } from '../../src/platform/database/data-folder.ts'
import { createLog } from '../../src/platform/log/log.ts'
import type { RegistrySchema } from '../../src/registry/schema.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { tollgate, tollgateReading } from '../support/cli.ts'
import { testDatabase, testDataDir } from '../support/database.ts'
import { testStores } from '../support/registry.ts'
import { testConfigDir } from '../support/tollgate.ts'

const { database, url } = await testDatabase(t)
await testStores(database)
const env = {
  DATABASE_URL: url,
  DATA_DIR: await testDataDir(t),
  KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
  // A window that does not end meanwhile.
  CONFIG_DIR: testConfigDir(t, { calls: 100, window: 'P365D' }),
}

const counter = await createMemoryCounter({ log: createLog('silent') })
const control = createControl({ counter })
await control.listen({ path: socketPathIn(env.DATA_DIR, controlSocketName) })
t.teardown(async () => {
  await control.close()
  await counter.close()
})

async function json(...args: string[]) {
  const outcome = await tollgate(env, ...args, '--json')
  if (outcome.code !== 0) throw new Error(`${args.join(' ')}: ${outcome.stderr}`)
  return JSON.parse(outcome.stdout)
}

function onboard(email: string, application: string) {
  return json('onboard', '--email', email, '--application', application, '--api', 'xs2a@1.7.0')
}

const anna = await onboard('anna@example.com', 'Budget app')
const byName = ['--application', 'budget APP']

t.test(
  'an application is found by its name in any case and by the beginning of its id',
  async (t) => {
    const id = anna.applicationId
    t.match(await json('application', 'show', 'budget app'), {
      id,
      developerEmail: 'anna@example.com',
    })
    t.match(await json('application', 'show', id.slice(0, 8)), { id })
    t.match(await json('key', 'list', ...byName), { items: [{ id: anna.keyId }] })
    const { items } = await json('subscription', 'list', ...byName)
    t.match(await json('subscription', 'remove', items[0].id.slice(0, 6)), { id: items[0].id })
    await json('subscription', 'add', ...byName, '--api', 'xs2a@1.7.0')
    t.match(await json('key', 'show', anna.keyId.slice(0, 6)), { id: anna.keyId })
    t.match(await json('developer', 'show', anna.developerId.slice(0, 8)), { id: anna.developerId })
  },
)

t.test('the list of applications names the developer by email address', async (t) => {
  t.match((await tollgate(env, 'application', 'list')).stdout, /Budget app │ anna@example\.com/)
})

t.test('a name that two developers use is refused, and both applications are listed', async (t) => {
  const boris = await onboard('boris@example.com', 'Budget app')
  const outcome = await tollgate(env, 'application', 'suspend', 'Budget app')
  t.equal(outcome.code, 1)
  t.match(outcome.stderr, 'application "Budget app" is ambiguous, give the id:')
  t.match(outcome.stderr, `Budget app of anna@example.com (${anna.applicationId})`)
  t.match(outcome.stderr, `Budget app of boris@example.com (${boris.applicationId})`)
  t.match(await json('application', 'show', boris.applicationId), { suspendedAt: null })
  await json('developer', 'delete', 'boris@example.com')
})

t.test('a name like the beginning of another id is refused, and both are listed', async (t) => {
  const prefix = anna.applicationId.slice(0, 8)
  const twin = await onboard('carla@example.com', prefix)
  const outcome = await tollgate(env, 'application', 'suspend', prefix)
  t.match(outcome, { code: 1, stderr: 'is ambiguous, give the id:' })
  t.match(outcome.stderr, `Budget app of anna@example.com (${anna.applicationId})`)
  t.match(outcome.stderr, `${prefix} of carla@example.com (${twin.applicationId})`)
  const { name } = await json('application', 'rename', twin.applicationId, anna.applicationId)
  t.equal(name, anna.applicationId)
  t.match(
    await json('application', 'show', anna.applicationId.toUpperCase()),
    { id: anna.applicationId },
    'a whole id wins over a name',
  )
  await json('developer', 'delete', 'carla@example.com')
})

t.test('a part of a name is refused with the names that contain it', async (t) => {
  const outcome = await tollgate(env, 'application', 'show', 'budget')
  t.equal(outcome.code, 1)
  t.match(outcome.stderr, `no application "budget"; similar:\n  Budget app of anna@example.com (`)
  const other = await tollgate(env, 'application', 'show', 'savings')
  t.match(other, { code: 1, stderr: 'tollgate: no application "savings"\n' })
})

t.test('a misspelt name is refused with the name that is nearest', async (t) => {
  const list = await tollgate(env, 'counter', 'list', '--application', 'Budgte app')
  t.match(list, { code: 1, stderr: 'no application "Budgte app"; similar:\n  Budget app of anna@' })
  const developer = await tollgate(env, 'developer', 'show', 'ana@example.com')
  t.match(developer, { code: 1, stderr: 'similar:\n  anna@example.com (' })
})

t.test('a stored name cannot command the terminal of an operator who searches', async (t) => {
  const { applicationId } = await onboard('dora@example.com', 'Hostile')
  // From a time before the rule for names.
  await database
    .connect<RegistrySchema>()
    .updateTable('applications')
    .set({ name: 'Hostile \u001b[31m\u202efdp' })
    .where('id', '=', applicationId)
    .execute()
  const similar = await tollgate(env, 'application', 'show', 'hostile')
  t.match(similar, { code: 1, stderr: 'similar:\n  Hostile \ufffd[31m\ufffdfdp of dora@' })
  await onboard('eli@example.com', applicationId.slice(0, 8))
  const ambiguous = await tollgate(env, 'application', 'show', applicationId.slice(0, 8))
  t.match(ambiguous, { code: 1, stderr: '  Hostile \ufffd[31m\ufffdfdp of dora@' })
  await json('developer', 'delete', 'dora@example.com')
  await json('developer', 'delete', 'eli@example.com')
})

t.test('help says which options are required', async (t) => {
  const { stdout } = await tollgate(env, 'application', 'create', '--help')
  t.match(stdout, /--developer <developer> .*\(required\)/)
  t.notMatch(stdout, /--json .*\(required\)/)
})

t.test('three characters are not taken for the beginning of an id', async (t) => {
  const outcome = await tollgate(env, 'application', 'show', anna.applicationId.slice(0, 3))
  t.match(outcome, { code: 1, stderr: /no application/ })
})

t.test('counter list shows used limits, and all of them with --all', async (t) => {
  const none = await tollgate(env, 'counter', 'list', ...byName)
  t.equal(none.stdout.trim(), '(none)')
  t.match(none.stderr, '20 unused limits are not shown; --all shows them.')
  const all = await tollgate(env, 'counter', 'list', ...byName, '--all')
  t.match(all.stdout, 'listAccounts')
  t.equal(all.stderr, '')
  t.equal((await json('counter', 'list', ...byName)).items.length, 20, 'JSON always has all')
})

t.test('an override may end a number of days from now', async (t) => {
  const what = ['--api', 'xs2a@1.7.0', '--calls', '250', '--reason', 'a test']
  const before = Date.now()
  const made = await json('override', 'add', ...byName, ...what, '--until', '+30d')
  const madeAt = Date.parse(made.expiresAt) - 30 * 86_400_000
  t.ok(before <= madeAt && madeAt <= Date.now(), made.expiresAt)
  t.same(await json('override', 'end', made.id.slice(0, 8), ...byName), { id: made.id })
  const wrong = await tollgate(env, 'override', 'add', ...byName, ...what, '--until', 'tomorrow')
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, '+30d')
})

t.test('explain says its decision in a sentence; details come with --verbose', async (t) => {
  const call = ['explain', 'GET', '/v1.7.0/accounts']
  const refused = await tollgate(env, ...call)
  t.match(refused.stdout, /^Refused with 401 KEY_MISSING: [A-Z].*\.\n$/)
  const withKey = (...args: string[]) =>
    tollgateReading(anna.key, env, ...call, '--key', '-', ...args)
  const allowed = await withKey()
  t.match(
    allowed.stdout,
    /^Allowed: the gateway forwards listAccounts \(xs2a 1\.7\.0\) for Budget app\. 100 of 100 calls of the limit "default" are left; it resets at (\d{4}-\d\d-\d\d )?\d\d:00 UTC, in .+\.\n$/,
  )
  t.match((await withKey('--verbose')).stdout, anna.applicationId)
  const [{ bucket }] = JSON.parse((await withKey('--json')).stdout).limits
  for (let used = 0; used < 100; used += 1) await grant(bucket)
  t.match(
    (await withKey()).stdout,
    /^Refused with 429 for Budget app: all 100 calls of the limit "default" are used for listAccounts \(xs2a 1\.7\.0\)\. Calls are allowed again at .* UTC, in .+\.\n$/,
  )
})

t.test('explain speaks of the only call of a limit of one', async (t) => {
  const one = { ...env, CONFIG_DIR: testConfigDir(t, { calls: 1, window: 'P364D' }) }
  const explained = (...args: string[]) => {
    const call = ['explain', 'GET', '/v1.7.0/accounts', '--key', '-']
    return tollgateReading(anna.key, one, ...call, ...args)
  }
  t.match((await explained()).stdout, '1 of 1 call of the limit "default" is left')
  const [{ bucket }] = JSON.parse((await explained('--json')).stdout).limits
  await grant(bucket, 364 * 86_400)
  t.match((await explained()).stdout, 'the only call of the limit "default" is used')
})

t.test('explain says which limits the headers do not show', async (t) => {
  const config = testConfigDir(t)
  const file = join(config, 'plans', 'default.yaml')
  const plan = readFileSync(file, 'utf8')
  writeFileSync(file, plan.replace(', scope: operation', ', scope: plan, advertise: false'))
  const explained = (...args: string[]) => {
    const call = ['explain', 'GET', '/v1.7.0/accounts', '--key', '-']
    return tollgateReading(anna.key, { ...env, CONFIG_DIR: config }, ...call, ...args)
  }
  t.match(JSON.parse((await explained('--json')).stdout), { limits: [{ isAdvertised: false }] })
  const { stdout } = await explained('--verbose')
  t.match(stdout, 'calls of the limit "default" (not advertised) are left')
  t.match(stdout, /│ default \(not advertised\) +│/)
})

t.test('explain says what the gateway answers itself', async (t) => {
  const asked = await tollgate(env, 'explain', 'OPTIONS', '*')
  t.match(asked, {
    code: 0,
    stdout:
      'Answered with 204: the gateway answers this call itself. It counts and forwards nothing.\n',
  })
  const asJson = await tollgate(env, 'explain', 'OPTIONS', '*', '--json')
  t.match(JSON.parse(asJson.stdout), { decision: 'answer', status: 204, code: undefined })
})

t.test('a window of a time zone that the running process does not know is refused', async (t) => {
  const running = connectControl({ dataDir: env.DATA_DIR })
  t.teardown(() => running.close())
  const windowLength = 'P1D@Mars/Olympus' as const
  const bucket = { bucket: `tollgate:{app}:xs2a:1.7.0:${windowLength}`, windowLength }
  const refused = /answered 400: "P1D@Mars\/Olympus" is not a window length/
  await t.rejects(running.peek([bucket]), refused)
  await t.rejects(running.reset(bucket), refused)
})

function grant(bucket: string, windowLength = 31_536_000): Promise<void> {
  return new Promise((resolve) =>
    counter.grant([{ bucket, calls: 100, windowLength }], 'deny', () => resolve()),
  )
}

t.test(
  'the help of every command costs little: it loads neither database nor documents',
  async (t) => {
    const launcher = fileURLToPath(new URL('../../bin/tollgate.js', import.meta.url))
    const loaded = (...args: string[]) => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [launcher, ...args, '--help'],
        {
          encoding: 'utf8',
          env: { ...childEnvironment, NODE_DEBUG: 'esm' },
          maxBuffer: 2 ** 28,
        },
      )
      t.equal(status, 0, args.join(' '))
      t.match(stdout, /\nExamples?:\n {2}\S*tollgate /)
      return ['kysely', 'pg', 'ajv', 'yaml', 'fastify'].filter((name) =>
        stderr.includes(`/node_modules/${name}/`),
      )
    }
    for (const args of [
      [],
      ['key', 'rotate'],
      ['explain'],
      ['sandbox', 'customers'],
      ['application'],
    ]) {
      t.same(loaded(...args), [], args.join(' '))
    }
  },
)
