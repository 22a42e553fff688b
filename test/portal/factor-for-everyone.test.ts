import t from 'tap'
import { freePort } from '../support/free-port.ts'
import { createPortalClient, signUpAndIn, testPassword } from '../support/portal.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { runTollgate } from '../support/tollgate.ts'

const port = String(await freePort())
const portalUrl = `http://localhost:${port}`
const started = await runTollgate(t, {
  env: {
    TRUSTED_PROXIES: '127.0.0.1',
    SECOND_FACTOR: 'everyone',
    PORTAL_PORT: port,
    PORTAL_PUBLIC_URL: portalUrl,
  },
})
const tollgate = { ...started, urls: { ...started.urls, portal: portalUrl } }
const needed = { status: 403, body: { code: 'ENROLMENT_REQUIRED' } }

t.test(
  'with SECOND_FACTOR=everyone a developer can only add a factor until there is one',
  async (t) => {
    const email = 'everyone-1@example.com'
    const client = await signUpAndIn(tollgate, { email, from: '10.5.0.1' })
    t.match((await client.get('/api/session')).body, { needsFactor: true })
    for (const answer of [
      await client.get('/api/applications'),
      await client.post('/api/applications', { name: 'Early' }),
      await client.patch('/api/session/developer', { currentPassword: testPassword, name: 'New' }),
      await client.delete('/api/session/developer', { currentPassword: testPassword }),
    ]) {
      t.match(answer, needed)
    }
    t.equal((await client.get('/api/sessions')).status, 200)

    const thief = createPortalClient(tollgate.urls.portal, { from: '10.5.0.2' })
    for (const [name, value] of client.cookies) thief.cookies.set(name, value)
    const { secret } = await addApp(client.post)
    t.equal((await thief.get('/api/session')).status, 401, 'the session has a new id')
    t.match((await client.get('/api/session')).body, { needsFactor: false })
    t.equal((await client.post('/api/applications', { name: 'Later' })).status, 201)
    const removed = await client.delete('/api/session/factors/totp')
    t.match(removed, { status: 409, body: { rule: 'last-factor' } })
    t.match((await client.get('/api/session/factors')).body, { isRequired: true })

    const again = createPortalClient(tollgate.urls.portal, { from: '10.5.0.1' })
    const { status, body } = await again.post('/api/session', { email, password: testPassword })
    t.equal(status, 202)
    const code = appCode(secret, 1)
    t.equal((await again.post('/api/session/factor', { token: body.token, code })).status, 200)
    t.equal((await again.get('/api/applications')).status, 200)
  },
)
