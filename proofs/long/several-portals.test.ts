import { randomBytes } from 'node:crypto'
import t from 'tap'
import { testDataDir } from '../../test/support/database.ts'
import { fleetMissing, startFleet } from '../../test/support/fleet.ts'
import { awaitMail, readMails } from '../../test/support/mails.ts'
import { createPortalClient, mailedToken, testPassword } from '../../test/support/portal.ts'
import { spawnTollgate } from '../../test/support/tollgate.ts'
import { until } from '../../test/support/until.ts'

t.test(
  'two portals on one PostgreSQL and one Redis are one portal, even while the stores stand still',
  { skip: fleetMissing(), timeout: 300_000 },
  async (t) => {
    const dataDir = await testDataDir(t)
    const env = {
      SESSION_SECRET: randomBytes(32).toString('base64url'),
      DATA_DIR: dataDir,
      TRUSTED_PROXIES: '127.0.0.1',
      GATEWAY_PUBLIC_URL: 'https://api.bank.example',
      LOG_LEVEL: 'trace',
    }
    const fleet = await startFleet(t, { size: 1, env })
    const portals = await Promise.all([1, 2].map(() => spawnTollgate(t, ['portal'], fleet.env)))
    const email = 'ada@example.com'
    const [here, there] = portals.map(({ urls }) =>
      createPortalClient(urls.portal, { from: '10.0.0.1' }),
    )
    if (here === undefined || there === undefined) throw new Error('there are two')

    t.equal((await here.post('/api/developers', { email, name: 'Ada' })).status, 202)
    const token = await mailedToken(dataDir, 'sign-up', email)
    const verification = { token, password: testPassword }
    const verified = await Promise.all(
      [here, there, here, there].map((portal) =>
        portal.post('/api/developers/verify', verification),
      ),
    )
    t.same(verified.map(({ status }) => status).sort(), [204, 400, 400, 400], 'a link works once')

    t.equal((await here.post('/api/session', { email, password: testPassword })).status, 200)
    for (const [name, value] of here.cookies) there.cookies.set(name, value)
    t.equal((await there.get('/api/session')).status, 200, 'signed in at both')
    const application = await there.post('/api/applications', { name: 'Budget' })
    const path = `/api/applications/${application.body.id}/keys`
    t.equal((await here.post(path, { name: 'first' })).status, 201)
    await awaitMail(dataDir, { kind: 'key-issued', to: email })

    const statuses: number[] = []
    for (let at = 0; at < 12; at++) {
      const { urls } = portals[at % 2] ?? { urls: { portal: '' } }
      const guesser = createPortalClient(urls.portal, { from: '10.0.0.2' })
      const { status } = await guesser.post('/api/session', { email, password: 'a wrong password' })
      statuses.push(status)
    }
    t.same(statuses, [...new Array(10).fill(401), 429, 429], 'guesses count at both')

    fleet.postgres.freeze()
    const calls = [
      ['GET', '/api/session'],
      ['GET', '/api/applications'],
      ['GET', '/api/portal'],
      ['POST', '/api/developers', { email: 'new@example.com', name: 'New' }],
      ['POST', '/api/password-resets', { email: 'grace@example.com' }],
      ['POST', '/api/session', { email, password: testPassword }],
      ['DELETE', '/api/session'],
    ] as const
    await Promise.all(
      calls.map(async ([method, target, body]) => {
        const from = Date.now()
        const { status, body: problem } = await (method === 'GET'
          ? here.get(target)
          : method === 'POST'
            ? here.post(target, body)
            : here.delete(target))
        t.match([status, problem.code], [503, 'STORE_UNAVAILABLE'], `${method} ${target}`)
        t.ok(Date.now() - from < 10_000, `${method} ${target} took ${Date.now() - from} ms`)
      }),
    )
    t.equal((await here.get('/profile')).status, 200, 'the page comes')
    fleet.postgres.thaw()
    await until('the portal is back', async () => {
      return (await there.get('/api/session')).status === 200
    })

    t.equal((await there.delete('/api/sessions')).status, 204)
    t.equal((await here.get('/api/session')).status, 401, 'ended there, dead here')

    const kinds = (await readMails(dataDir)).map(({ kind }) => kind).sort()
    t.same(kinds, ['key-issued', 'sign-up'], 'each mail was written once')
    const logged = portals.map(({ output }) => output.stderr).join('')
    t.notMatch(logged, /@example\.com/, 'no address in the log')
    t.notOk(logged.includes(token), 'and no token')
  },
)
