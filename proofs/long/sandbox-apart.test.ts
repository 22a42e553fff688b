import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'a portal in its own process shows the sandbox of a bank in another, if both know the secret',
  { skip: fleetMissing() },
  async (t) => {
    const { postgres, env } = await startStores(t)
    const [managementPort, backendPort] = [await freePort(), await freePort()]
    const configDir = testConfigDir(t)
    const sessionSecret = randomBytes(32).toString('base64url')
    const shared = {
      ...productionEnv(),
      ...env,
      CONFIG_DIR: configDir,
      SESSION_SECRET: sessionSecret,
      GATEWAY_PROCESSES: '1',
    }
    const secret = randomBytes(32).toString('base64url')
    const gateway = await spawnTollgate(t, ['gateway'], {
      ...shared,
      MANAGEMENT_PORT: String(managementPort),
      SANDBOX: 'on',
      BACKEND_URL: `http://127.0.0.1:${backendPort}`,
    })
    const { REDIS_URL: _, ...bankEnv } = shared
    const bank = await spawnTollgate(t, ['backend'], {
      ...bankEnv,
      // It counts nothing and keeps everything in the database: no folder, no Redis.
      DATA_DIR: '/proc/none',
      BACKEND_PORT: String(backendPort),
      IDENTITY_JWKS_URL: `http://127.0.0.1:${managementPort}/.well-known/jwks.json`,
      SANDBOX_SECRET: secret,
    })
    const stores = await storesOf(t, shared)

    async function portalWith(env: Readonly<Record<string, string>>) {
      const { urls } = await spawnTollgate(t, ['portal'], {
        ...shared,
        GATEWAY_PUBLIC_URL: gateway.urls.gateway,
        BACKEND_URL: bank.urls.backend,
        ...env,
      })
      const portalUrl = urls.portal
      return openBesidePortal(t, {
        portalUrl,
        stores,
        databaseUrl: postgres.url,
        sessionSecret,
      })
    }

    const title = async (): Promise<string> => (await fetch(bank.urls.sca)).text()
    t.match(await title(), 'Sandbox Bank</title>')
    writeFileSync(join(configDir, 'brand.yaml'), 'name: Other Bank\n')
    bank.signal('SIGHUP')
    await until('its brand', async () => (await title()).includes('Other Bank</title>'))

    const portal = await portalWith({ SANDBOX: 'on', SANDBOX_SECRET: secret })
    const { body } = await portal.anonymous('GET', '/api/sandbox')
    t.equal(body.customers[0].name, 'Noa Levi')
    const { send } = await portal.signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'apart' })).body
    const path = `/api/applications/${id}`
    await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
    const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body
    const { consentId } = (await send('POST', `${path}/sandbox/consents`)).body
    const ask = async (drill?: string) => {
      const answer = await fetch(`${gateway.urls.gateway}/v1.7.0/accounts`, {
        headers: {
          'x-api-key': key,
          'x-request-id': randomUUID(),
          'psu-ip-address': '192.0.2.44',
          'consent-id': consentId,
          ...(drill === undefined ? {} : { 'sandbox-drill': drill }),
        },
      })
      const { status, headers } = answer
      return { status, text: await answer.text(), left: headers.get('x-ratelimit-remaining') }
    }
    await until('the gateway’s calls go through with it', async () => (await ask()).status === 200)
    const { left } = await ask()
    t.match(await ask('429'), { status: 429, text: /QUOTA_EXCEEDED/, left: '0' })
    t.match(await ask('504'), { status: 504 })
    t.match(await ask('consent-expired'), { status: 401, text: /CONSENT_EXPIRED/ }, 'by the bank')
    t.equal(Number((await ask()).left), Number(left) - 1, 'no plan counts drills')

    const stranger = await portalWith({ SANDBOX: 'on', SANDBOX_SECRET: 'x'.repeat(43) })
    t.match(await stranger.anonymous('GET', '/api/sandbox'), {
      status: 503,
      body: { code: 'STORE_UNAVAILABLE' },
    })
    const without = await portalWith({})
    t.equal((await without.anonymous('GET', '/api/sandbox')).status, 404, 'off by default')
    await t.rejects(
      spawnTollgate(t, ['portal'], {
        ...shared,
        SANDBOX: 'on',
        GATEWAY_PUBLIC_URL: 'http://a.example',
      }),
      { message: /SANDBOX_SECRET or SANDBOX_SECRET_FILE: is required.*BACKEND_URL: is required/s },
    )
  },
)
