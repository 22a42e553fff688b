import { sql } from 'kysely'
import t from 'tap'
import { createPortalClient, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal, type Send } from '../support/portal-client.ts'
import { addApp, appCode } from '../support/second-factor.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
const beside = await besidePortal(t, tollgate)
const { db, stores } = beside
const unknown = '00000000-0000-4000-8000-000000000000'

/** Lets the last proof of all sessions of a developer be older. */
const age = (developerId: string, interval: string) =>
  db
    .updateTable('sessions')
    .set({ proved_at: sql`now() - ${sql.lit(interval)}::interval` })
    .where('developer_id', '=', developerId)
    .execute()

const needed = { status: 403, body: { code: 'STEP_UP_REQUIRED' } }

/** Calls by their operationId that the document says need a proof. */
const document = (await beside.anonymous('GET', '/api/openapi.json')).body
const guarded: readonly { id: string; method: string; path: string }[] = Object.entries<
  Record<string, { operationId: string; responses: Record<string, { description: string }> }>
>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
    responses['403']?.description.includes('STEP_UP_REQUIRED') === true
      ? [{ id: operationId, method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, unknown) }]
      : [],
  ),
)

t.test(
  'keys, certificates, subscriptions, applications, factors, sessions and every operator change need a proof',
  async (t) => {
    t.same(
      guarded.map(({ id }) => id).sort(),
      [
        'issueKey',
        'rotateKey',
        'revokeKey',
        'changeKey',
        'addCertificate',
        'removeCertificate',
        'makeTestCertificates',
        'changeApplication',
        'changePlan',
        'changeProfile',
        'declineLimitRequest',
        'deleteAccount',
        'deleteApplication',
        'exportOwnData',
        'grantLimitRequest',
        'moveSubscription',
        'removeWebhook',
        'setWebhook',
        'unsubscribe',
        'offerTotp',
        'confirmTotp',
        'removeTotp',
        'endSession',
        'signOutEverywhere',
        'offerPasskey',
        'confirmPasskey',
        'removePasskey',
        'replaceRecoveryCodes',
        'approveDeveloper',
        'suspendDeveloper',
        'resumeDeveloper',
        'suspendApplication',
        'resumeApplication',
        'createOverride',
        'endOverride',
        'setSignUpMode',
      ].sort(),
    )
    const operatorChanges = Object.entries<Record<string, { operationId: string }>>(document.paths)
      .filter(([path]) => path.startsWith('/api/operator/'))
      .flatMap(([, methods]) => Object.entries(methods))
      .filter(([method]) => method !== 'get')
    for (const [, { operationId }] of operatorChanges) {
      t.ok(
        guarded.some(({ id }) => id === operationId),
        operationId,
      )
    }
  },
)

t.test('ten minutes after the last proof they are refused, before anything is read', async (t) => {
  const operator = await beside.signIn({ isOperator: true })
  const ask = (send: Send, { method, path }: (typeof guarded)[number]) =>
    send(method, path, '{"broken')
  for (const call of guarded) {
    // Each time, since all calls together may take more than ten seconds.
    await age(operator.developer.id, '9 minutes 50 seconds')
    t.notMatch(await ask(operator.send, call), needed, `${call.id} is let through`)
  }
  await age(operator.developer.id, '10 minutes 1 second')
  for (const call of guarded) t.match(await ask(operator.send, call), needed, call.id)
  t.equal((await operator.send('GET', '/api/operator/developers')).status, 200, 'reading goes on')
})

t.test('a developer without a second factor proves with the password', async (t) => {
  const email = 'step-up-1@example.com'
  const { post, delete: remove } = await signUpAndIn(tollgate, { email, from: '10.4.0.1' })
  const { body } = await post('/api/applications', { name: 'Guarded' })
  const path = `/api/applications/${body.id}`
  const developer = await stores.developers.findByEmail(email)
  await age(developer?.id ?? '', '11 minutes')
  t.match(await post(`${path}/keys`, { name: 'late' }), needed)
  t.match(await remove(path), needed)
  t.equal((await post('/api/applications', { name: 'Harmless' })).status, 201)
  const challenge = await post('/api/session/challenge')
  t.same(challenge.body, { token: null, expiresAt: null, methods: ['password'], passkey: null })
  const wrong = await post('/api/session/proof', { password: 'not the password' })
  t.match(wrong, { status: 401, body: { code: 'CREDENTIALS_INVALID' } })
  t.equal((await post('/api/session/proof', { code: '123456' })).status, 400)
  t.match(await post(`${path}/keys`, { name: 'late' }), needed)
  t.equal((await post('/api/session/proof', { password: testPassword })).status, 200)
  t.equal((await post(`${path}/keys`, { name: 'late' })).status, 201)

  await age(developer?.id ?? '', '11 minutes')
  const renamed = { currentPassword: testPassword, name: 'Renamed' }
  const { patch } = await signUpAndIn(tollgate, {
    email: 'step-up-2@example.com',
    from: '10.4.0.2',
  })
  t.equal(
    (await patch('/api/session/developer', renamed)).status,
    200,
    'it has the password itself',
  )
})

t.test('a proof gives the session a new id, and the old one opens nothing', async (t) => {
  const email = 'step-up-4@example.com'
  const client = await signUpAndIn(tollgate, { email, from: '10.4.0.4' })
  const [before] = (await client.get('/api/sessions')).body.items
  const thief = createPortalClient(tollgate.urls.portal, { from: '10.4.0.5' })
  for (const [name, value] of client.cookies) thief.cookies.set(name, value)
  t.equal((await thief.get('/api/session')).status, 200)
  const proof = await client.post('/api/session/proof', { password: testPassword })
  t.equal(proof.status, 200)
  t.equal(proof.headers['set-cookie']?.match(/tollgate_session=/g)?.length, 1)
  t.equal((await thief.get('/api/session')).status, 401)
  const { items } = (await client.get('/api/sessions')).body
  t.match(items, [{ id: before.id, createdAt: before.createdAt, isCurrent: true }])
  t.equal(items.length, 1, 'the same session')
})

t.test('sessions are listed without a proof and end with one', async (t) => {
  const email = 'step-up-6@example.com'
  const client = await signUpAndIn(tollgate, { email, from: '10.4.0.6' })
  const id = (await stores.developers.findByEmail(email))?.id ?? ''
  await age(id, '11 minutes')
  const { status, body } = await client.get('/api/sessions')
  t.equal(status, 200)
  t.match(await client.delete(`/api/sessions/${body.items[0].id}`), needed)
  t.match(await client.delete('/api/sessions'), needed)
  t.equal((await client.delete('/api/session')).status, 204, 'signing out needs none')
})

t.test('with a second factor only that proves, even where the password is given', async (t) => {
  const email = 'step-up-3@example.com'
  const client = await signUpAndIn(tollgate, { email, from: '10.4.0.3' })
  const { secret } = await addApp(client.post)
  const id = (await stores.developers.findByEmail(email))?.id ?? ''
  await age(id, '11 minutes')
  t.match(
    await client.patch('/api/session/developer', { currentPassword: testPassword, name: 'New' }),
    needed,
  )
  t.match(await client.delete('/api/session/developer', { currentPassword: testPassword }), needed)
  t.match(await client.delete('/api/session/factors/totp'), needed)
  const password = await client.post('/api/session/proof', { password: testPassword })
  t.match(password, { status: 400, body: { errors: [{ path: '/token' }] } })
  const { token, methods } = (await client.post('/api/session/challenge')).body
  t.same(methods, ['totp', 'recovery-code'])
  const code = appCode(secret)
  t.equal((await client.post('/api/session/proof', { token, code })).status, 200)
  t.equal((await client.post('/api/session/proof', { token, code })).status, 400, 'once')
  const changed = { currentPassword: testPassword, name: 'New' }
  t.equal((await client.patch('/api/session/developer', changed)).status, 200)
})
