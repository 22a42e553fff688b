import { randomBytes } from 'node:crypto'
import t from 'tap'
import { codeOf } from '../../test/support/calling.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { openBesidePortal } from '../../test/support/portal-client.ts'
import { spawnTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'portal and gateway each run without the other, and the portal shows the counts of a gateway elsewhere',
  { skip: fleetMissing() },
  async (t) => {
    const sessionSecret = randomBytes(32).toString('base64url')
    const env = { SESSION_SECRET: sessionSecret }
    const fleet = await startFleet(t, { size: 1, plan: { calls: 100, window: 'P365D' }, env })
    const [gateway] = fleet.gateways
    const [client] = fleet.clients
    if (gateway === undefined || client === undefined) throw new Error('the fleet is empty')
    const portal = await spawnTollgate(t, ['portal'], {
      ...fleet.env,
      // Where developers find it is no address in here, as in a network of containers.
      GATEWAY_PUBLIC_URL: 'https://api.bank.example',
      GATEWAY_URL: gateway.urls.gateway,
    })
    const { anonymous, signIn } = openBesidePortal(t, {
      portalUrl: portal.urls.portal,
      stores: fleet.stores,
      databaseUrl: fleet.postgres.url,
      sessionSecret,
    })
    const { send } = await signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'apart' })).body
    const path = `/api/applications/${id}`
    await send('POST', `${path}/subscriptions`, { api: 'xs2a', version: '1.7.0', plan: 'default' })
    const { key } = (await send('POST', `${path}/keys`, { name: 'k' })).body

    let answer = await client.call({ key })
    for (let call = 2; call <= 7; call += 1) answer = await client.call({ key })
    t.equal(answer.headers['x-ratelimit-remaining'], '93')
    const usage = await send('GET', `${path}/usage`)
    t.match(
      usage.body.items.find(({ operation }: { operation: string }) => operation === 'listAccounts'),
      { limit: 100, used: 7, remaining: 93 },
      'what Redis counted',
    )
    t.equal((await anonymous('GET', '/api/gateway')).body.isReachable, true)
    const facts = await anonymous('GET', '/api/portal')
    t.equal(facts.body.gatewayUrl, 'https://api.bank.example', 'what developers see')

    const shown = await (await fetch(`${portal.urls.management}/metrics`)).text()
    for (const series of shown.split('\n').filter((line) => /^\w/.test(line))) {
      if (!series.includes('role="portal"')) t.fail(`${series} says no role`)
    }
    t.match(shown, /^gateway_store_up\{store="counters",role="portal"\} 1$/m)
    t.notMatch(shown, /^gateway_(?:requests|limit_)/m, 'no zeros of calls that it never takes')
    const ofGateway = await (await fetch(`${gateway.urls.management}/metrics`)).text()
    t.match(ofGateway, /^gateway_requests_total\{.*role="gateway"/m)

    fleet.redis.suspend()
    const unknown = await send('GET', `${path}/usage`)
    t.equal(unknown.status, 503)
    t.match(unknown.body, { code: 'COUNTERS_UNAVAILABLE' })
    t.match(unknown.headers['retry-after'], /^\d+$/)
    t.notMatch(unknown.text, /redis|127\.0\.0\.1:\d+\D*refused/i)
    t.equal((await send('GET', path)).status, 200, 'the rest of the portal goes on')
    const attempt = await anonymous('POST', '/api/session', {
      email: 'a@example.com',
      password: 'x',
    })
    t.match([attempt.status, attempt.body.code], [503, 'STORE_UNAVAILABLE'])
    t.match(attempt.body.detail, 'cannot count attempts', 'it does not blame the caller')
    t.match(attempt.headers['retry-after'], /^\d+$/)
    fleet.redis.resume()
    await until(
      'the portal shows usage',
      async () => (await send('GET', `${path}/usage`)).status === 200,
    )

    portal.signal('SIGKILL')
    await portal.ended
    t.equal((await client.call({ key })).status, 200, 'the gateway serves on without a portal')
    t.equal(codeOf(await client.call({ key: 'nonsense' })), 'KEY_INVALID')

    const second = await spawnTollgate(t, ['portal'], {
      ...fleet.env,
      GATEWAY_PUBLIC_URL: gateway.urls.gateway,
    })
    const again = openBesidePortal(t, {
      portalUrl: second.urls.portal,
      stores: fleet.stores,
      databaseUrl: fleet.postgres.url,
      sessionSecret,
    })
    gateway.signal('SIGKILL')
    await gateway.ended
    const state = await again.anonymous('GET', '/api/gateway')
    t.match([state.status, state.body], [200, { isReachable: false }])
    t.same(Object.keys(state.body), ['isReachable', 'checkedAt'], 'no reason, no address')
    const { send: other } = await again.signIn()
    t.equal((await other('POST', '/api/applications', { name: 'goes on' })).status, 201)
  },
)
