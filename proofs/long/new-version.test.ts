import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { accountsPath, burst, codeOf, createClient } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { testDataDir } from '../../test/support/database.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { metricsOf } from '../../test/support/metrics.ts'
import {
  newApplication,
  registryBeside,
  spawnTollgate,
  testConfigDir,
} from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'a new version and a new plan are one new file each, and a reload activates them',
  { timeout: 300_000 },
  async (t) => {
    const dataDir = await testDataDir(t)
    const configDir = testConfigDir(t)
    const ledger = await startLedger(t)
    const env = { DATA_DIR: dataDir, CONFIG_DIR: configDir }
    const tollgate = await spawnTollgate(t, [], { ...env, BACKEND_URL: ledger.url })
    const clients = [createClient(t, tollgate.urls.gateway, 10)]
    const stores = await registryBeside(t, dataDir)
    const { key, applicationId } = await newApplication(stores, 'first of 1.8.0')
    const published = async (): Promise<string> =>
      (await fetch(`${tollgate.urls.portal}/api/apis`)).text()
    const reloads = async (result: string): Promise<string | undefined> => {
      const metrics = await metricsOf(tollgate.urls.management)
      return new RegExp(`^gateway_config_reloads_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(
        metrics,
      )?.[1]
    }
    const path = '/v1.8.0/accounts'
    const [before] = await burst(clients, 1, { key, path })
    t.equal(before?.status, 404)
    t.notMatch(await published(), '1.8.0')

    const version = readFileSync(join(configDir, 'apis', 'xs2a', '1.7.0.yaml'), 'utf8')
    const plan = readFileSync(join(configDir, 'plans', 'default.yaml'), 'utf8')
    const newVersion = join(configDir, 'apis', 'xs2a', '1.8.0.yaml')
    writeFileSync(newVersion, version.replaceAll('1.7.0', '1.8.0'))
    writeFileSync(
      join(configDir, 'plans', 'small.yaml'),
      plan
        .replace(/^title: .*$/m, 'title: Small Plan')
        .replace(/^apis: .*$/m, "apis: ['xs2a@1.8.0']")
        .replace(/calls: \d+/, 'calls: 3'),
    )
    tollgate.signal('SIGHUP')
    await until('one reload succeeded', async () => (await reloads('success')) === '1')
    const { items } = JSON.parse(await published())
    const xs2a = items.find(({ api }: { api: string }) => api === 'xs2a')
    const found = xs2a.versions.find((item: { version: string }) => item.version === '1.8.0')
    t.equal(found.operations.length, 20)
    t.same(found.plans.map(({ title }: { title: string }) => title).toSorted(), [
      'Default Plan',
      'Small Plan',
    ])

    const [unsubscribed] = await burst(clients, 1, { key, path })
    t.equal(unsubscribed === undefined ? undefined : codeOf(unsubscribed), 'NOT_SUBSCRIBED')
    await stores.subscriptions.add({
      applicationId,
      api: 'xs2a',
      version: '1.8.0',
      plan: 'small',
      by: 'test',
    })
    await until('the subscription works', async () => {
      const [answer] = await burst(clients, 1, { key, path })
      return answer?.status === 200
    })
    const rest = await burst(clients, 10, { key, path })
    t.equal(rest.filter(({ status }) => status === 200).length, 2, 'three calls in all')
    t.equal(ledger.entries.at(-1)?.operation, 'xs2a@1.8.0 listAccounts')

    writeFileSync(newVersion, version.replaceAll('1.7.0', '1.8.0').replace('openapi: 3.1.0', ''))
    tollgate.signal('SIGHUP')
    await until('a bad one is refused', async () => (await reloads('failure')) === '1')
    const refused = await tollgateProcess(env, 'reload')
    t.equal(refused.code, 1)
    t.match(refused.stderr, 'apis/xs2a/1.8.0.yaml:')
    t.match(await published(), '1.8.0', 'the one before stays')
    const [limited] = await burst(clients, 1, { key, path })
    t.equal(limited?.status, 429)
    const [other] = await burst(clients, 1, { key, path: accountsPath })
    t.equal(other?.status, 200)

    writeFileSync(newVersion, version.replaceAll('1.7.0', '1.8.0'))
    const reloaded = await tollgateProcess(env, 'reload')
    t.equal(reloaded.code, 0, reloaded.stderr)
    await until('tollgate reload does it too', async () => (await reloads('success')) === '2')
  },
)
