import { randomBytes } from 'node:crypto'
import t from 'tap'
import { testDataDir } from '../../test/support/database.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { freePort } from '../../test/support/free-port.ts'
import {
  passProvider,
  providerBrowser,
  testClient,
  testProvider,
} from '../../test/support/openid-provider.ts'
import { createPortalClient, type PortalClient } from '../../test/support/portal.ts'
import { spawnTollgate } from '../../test/support/tollgate.ts'

t.test(
  'a sign-in by OpenID Connect that begins at one portal ends at another, on PostgreSQL',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const portalUrl = `http://127.0.0.1:${await freePort()}`
    const provider = await testProvider(t, portalUrl)
    const fleet = await startFleet(t, {
      size: 1,
      env: {
        SESSION_SECRET: randomBytes(32).toString('base64url'),
        DATA_DIR: await testDataDir(t),
        // Of the balancer: each request may reach another process.
        PORTAL_PUBLIC_URL: portalUrl,
        GATEWAY_PUBLIC_URL: 'https://api.bank.example',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: testClient.id,
        OIDC_CLIENT_SECRET: testClient.secret,
        OIDC_OPERATOR_GROUP: 'gateway-operators',
      },
    })
    const portals = await Promise.all([1, 2].map(() => spawnTollgate(t, ['portal'], fleet.env)))
    const [here, there] = portals.map(({ urls }) =>
      createPortalClient(urls.portal, { origin: portalUrl }),
    )
    if (here === undefined || there === undefined) throw new Error('there are two')
    const carry = (from: PortalClient, to: PortalClient) => {
      to.cookies.clear()
      for (const [name, value] of from.cookies) to.cookies.set(name, value)
    }
    const person = { email: 'dana@bank.example', isVerified: true, name: 'Dana', groups: [] }
    provider.people.set('dana', person)
    const browser = providerBrowser(provider)
    async function pass(from: PortalClient, path: string): Promise<string> {
      const started = await from.post(`/api/session/${path}`, {})
      t.equal(started.status, 200, started.text)
      return passProvider(browser, started.body.url, 'dana')
    }

    const back = await pass(here, 'provider-sign-in')
    carry(here, there)
    t.match(await there.get(back), { status: 303, headers: { location: '/sign-in' } })
    carry(there, here)
    t.match((await here.get('/api/session')).body.developer, { email: person.email })
    t.equal((await here.get('/api/operator/developers')).status, 404)

    Object.assign(person, { groups: ['gateway-operators'] })
    const again = await pass(here, 'provider-sign-in')
    carry(here, there)
    t.equal((await there.get(again)).status, 303)
    t.equal((await here.get(again)).status, 403, 'a code works once, wherever')
    carry(there, here)
    t.equal((await here.get('/api/operator/developers')).status, 200)

    const proof = await pass(there, 'provider')
    carry(there, here)
    t.equal((await here.get(proof)).status, 303, 'a proof, too')
    carry(here, there)
    t.equal((await there.delete('/api/session')).status, 200)
    t.equal((await here.get('/api/session')).status, 401)
  },
)
