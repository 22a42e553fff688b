import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { codeOf, createClient } from '../../test/support/calling.ts'
import { tollgateProcess } from '../../test/support/cli.ts'
import { administer, testDataDir } from '../../test/support/database.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { startLedger } from '../../test/support/ledger-backend.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { untilWithin } from '../../test/support/until.ts'
import { poolerMissing, startPooler } from '../support/pooler.ts'

t.setTimeout(600_000)

t.test(
  'through a pooler that lends a connection for one transaction, gateways, portal and commands work, and no lock stays',
  { skip: fleetMissing() || poolerMissing() },
  async (t) => {
    const poolSize = 3
    const { postgres, env: ofStores } = await startStores(t)
    const pooled = await startPooler(t, postgres, { poolSize })
    const sessionSecret = randomBytes(32).toString('base64url')
    const env = {
      ...productionEnv(),
      ...ofStores,
      DATABASE_URL: pooled,
      SESSION_SECRET: sessionSecret,
      BACKEND_URL: (await startLedger(t)).url,
      CONFIG_DIR: testConfigDir(t),
      AUTH_FAILURES_PER_MINUTE: '100000',
    }
    const gateways = await Promise.all([
      spawnTollgate(t, ['gateway'], env),
      spawnTollgate(t, ['gateway'], env),
    ])
    const [first, second] = gateways.map(({ urls }) => createClient(t, urls.gateway))
    if (first === undefined || second === undefined) throw new Error('there are two gateways')
    const portal = await spawnTollgate(t, ['portal'], {
      ...env,
      GATEWAY_PUBLIC_URL: 'https://api.bank.example',
      GATEWAY_URL: gateways[0].urls.gateway,
    })
    const { signIn } = openBesidePortal(t, {
      portalUrl: portal.urls.portal,
      stores: await storesOf(t, env),
      databaseUrl: pooled,
      sessionSecret,
    })
    const { send } = await signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'pooled' })).body
    const path = `/api/applications/${id}`
    await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
    const issued = (await send('POST', `${path}/keys`, { name: 'k' })).body
    const { key } = issued
    for (const client of [first, second]) t.equal((await client.call({ key })).status, 200)

    const { used } = (await administer(
      postgres.url,
      "select count(*)::int as used from pg_stat_activity where application_name like 'tollgate%'",
    )) as { used: number }
    t.ok(used <= poolSize, `${used} connections of PostgreSQL for all processes`)

    const folder = mkdtempSync(join(tmpdir(), 'tg-pooled-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const backup = await tollgateProcess(env, 'backup', folder)
    t.equal(backup.code, 0, backup.stderr)

    await send('DELETE', `${path}/keys/${issued.id}`)
    for (const client of [first, second]) {
      await untilWithin(
        2_000,
        'the revocation is known',
        async () => codeOf(await client.call({ key })) === 'KEY_INVALID',
      )
    }

    const alone = { ...env, REDIS_URL: '', DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], alone), {
      message: /REDIS_URL: is required: another gateway process/,
    })
    // As RECONNECT of the pooler does. A lock of a session would be gone, and the next gateway would count separately.
    await administer(
      postgres.url,
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name like 'tollgate%'",
    )
    const beside = { ...alone, DATA_DIR: await testDataDir(t) }
    await t.rejects(spawnTollgate(t, ['gateway'], beside), {
      message: /REDIS_URL: is required: another gateway process/,
    })
    for (const gateway of gateways) {
      gateway.signal('SIGTERM')
      t.equal(await gateway.ended, 0)
    }
    t.strictSame(
      await administer(
        postgres.url,
        "select count(*)::int as locks from pg_locks where locktype = 'advisory'",
      ),
      { locks: 0 },
    )
    const successor = await spawnTollgate(t, ['gateway'], alone)
    t.equal((await fetch(`${successor.urls.management}/readyz`)).status, 200)
  },
)
