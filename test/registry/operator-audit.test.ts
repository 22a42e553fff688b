import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { createMemoryCounter } from '../../src/gateway/counters/memory/memory-counter.ts'
import { controlSocketName, createControl } from '../../src/gateway/operate/control.ts'
import { tollgate } from '../support/cli.ts'
import { testDatabase, testDataDir } from '../support/database.ts'
import { redisMissing, testRedis } from '../support/redis-server.ts'
import { testApplication, testStores } from '../support/registry.ts'

const log = pino({ level: 'silent' })

t.test(
  'a reset on Redis is announced to every process with the epoch that it begins',
  { skip: redisMissing() },
  async (t) => {
    const { database, url } = await testDatabase(t)
    const stores = await testStores(database)
    const { application } = await testApplication(stores)
    await stores.subscriptions.add({
      applicationId: application.id,
      api: 'xs2a',
      version: '1.7.0',
      plan: 'default',
      by: 'system',
    })
    const redis = await testRedis(t)
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
    }
    const { horizon } = await stores.changes.read(undefined)
    const [api, operation] = ['xs2a@1.7.0', 'listAccounts']
    const options = ['--application', application.id, '--api', api, '--operation', operation]
    const reset = await tollgate(env, 'counter', 'reset', ...options)
    t.equal(reset.code, 0, reset.stderr)
    const { changes } = await stores.changes.read(horizon)
    const told = changes.flatMap((change) => (change.action === 'reset' ? [change.detail] : []))
    t.equal(told.length, 1)
    const stored = await redis.cli('GET', told[0]?.bucket ?? '')
    t.match(stored, /^\d+ \d{13} 0$/)
    t.equal(told[0]?.epoch, stored.split(' ')[1])
  },
)

t.test('who resets a counter or changes the log is on record', async (t) => {
  const { database, url } = await testDatabase(t)
  const stores = await testStores(database)
  const { application } = await testApplication(stores)
  await stores.subscriptions.add({
    applicationId: application.id,
    api: 'xs2a',
    version: '1.7.0',
    plan: 'default',
    by: 'system',
  })
  const dataDir = await testDataDir(t)
  const counter = await createMemoryCounter({ log })
  const control = createControl({ counter })
  const socket = join(dataDir, controlSocketName)
  await control.listen({ path: socket })
  t.teardown(async () => {
    await control.close()
    await counter.close()
    await unlink(socket).catch(() => undefined)
  })
  const env = {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    KEY_PEPPER: 'a-pepper-for-tests-and-nothing-else',
  }
  const [api, operation] = ['xs2a@1.7.0', 'listAccounts']
  const options = ['--application', application.id, '--api', api, '--operation', operation]
  const reset = await tollgate(env, 'counter', 'reset', ...options, '--json')
  t.equal(reset.code, 0, reset.stderr)
  t.match(await stores.audit.list({ subject: `application:${application.id}`, limit: 1 }), [
    {
      actor: /^operator:/,
      action: 'counter.reset',
      detail: { bucket: new RegExp(`${application.id}.*${operation}`) },
    },
  ])
  const changed = await tollgate(
    env,
    'log',
    '--level',
    'debug',
    '--access',
    'errors',
    '--for',
    '2h',
  )
  t.equal(changed.code, 0, changed.stderr)
  t.match(await stores.audit.list({ limit: 1 }), [
    {
      actor: /^operator:/,
      action: 'configuration.log',
      detail: { level: 'debug', accessLog: 'errors', until: /^20/ },
    },
  ])
  for (const wrong of [
    [],
    ['--level', 'loud'],
    ['--access', 'sample'],
    ['--reset', '--level', 'info'],
  ]) {
    t.equal((await tollgate(env, 'log', ...wrong)).code, 2, wrong.join(' '))
  }
  t.equal((await tollgate(env, 'log', '--level', 'info', '--for', '25h')).code, 2)
})
