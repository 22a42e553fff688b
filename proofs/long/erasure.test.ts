import { randomBytes } from 'node:crypto'
import t from 'tap'
import {
  allTold,
  atBank,
  busyApplication,
  ended,
  isOver,
  timePasses,
  wake,
} from '../../test/support/deleted-applications.ts'
import { fleetMissing, productionEnv, startStores, storesOf } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'the gateway reports a deletion of the portal to the bank, each role in its own process',
  { skip: fleetMissing() },
  async (t) => {
    const { postgres, env } = await startStores(t)
    const [managementPort, backendPort] = [await freePort(), await freePort()]
    const sessionSecret = randomBytes(32).toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const shared = {
      ...productionEnv(),
      ...env,
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: t.testdir(),
      SESSION_SECRET: sessionSecret,
      SANDBOX_SECRET: secret,
      BACKEND_URL: `http://127.0.0.1:${backendPort}`,
    }
    const gateway = await spawnTollgate(t, ['gateway'], {
      ...shared,
      MANAGEMENT_PORT: String(managementPort),
    })
    await spawnTollgate(t, ['backend'], {
      ...shared,
      BACKEND_PORT: String(backendPort),
      SANDBOX: 'on',
      IDENTITY_JWKS_URL: `http://127.0.0.1:${managementPort}/.well-known/jwks.json`,
    })
    const { urls } = await spawnTollgate(t, ['portal'], {
      ...shared,
      SANDBOX: 'on',
      GATEWAY_PUBLIC_URL: gateway.urls.gateway,
    })
    const { db, signIn } = openBesidePortal(t, {
      portalUrl: urls.portal,
      stores: await storesOf(t, shared),
      databaseUrl: postgres.url,
      sessionSecret,
    })
    const { send } = await signIn()
    const id = await busyApplication(send, gateway.urls.gateway)
    t.equal((await send('DELETE', `/api/applications/${id}`)).status, 204)
    await until('the bank has answered about each deletion', () => allTold(db))
    t.same(await atBank(db, id), ended)
    await timePasses(db)
    await wake(send)
    await until('the bank is not asked about the application again', () => isOver(db, id))
  },
)
