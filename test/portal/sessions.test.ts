import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { createSessionStore } from '../../src/portal/accounts/session-store.ts'
import { awaitMail } from '../support/mails.ts'
import {
  cookieNamed,
  createPortalClient,
  mailedToken,
  signUpAndIn,
  testPassword,
} from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const tollgate = await runTollgate(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
const { dataDir, urls } = tollgate
const { stores, db } = await besidePortal(t, tollgate)
const hour = 3_600_000
const cookieName = 'tollgate_session'
const otherPassword = 'slow rivers carry old letters'
let people = 0

/** A new signed-in developer. */
async function newDeveloper() {
  people += 1
  const email = `sessions-${people}@example.com`
  const from = `10.1.0.${people}`
  const client = await signUpAndIn(tollgate, { email, from })
  const developer = await stores.developers.findByEmail(email)
  if (developer === undefined) throw new Error('the sign-up failed')
  return { client, email, from, id: developer.id, cookie: client.cookies.get(cookieName) ?? '' }
}

/** What a browser with this cookie gets for the session; every path that needs one answers alike. */
async function statusWith(cookie: string): Promise<number> {
  const client = createPortalClient(urls.portal)
  client.cookies.set(cookieName, cookie)
  return (await client.get('/api/session')).status
}

function signInAgain({ email, from }: { email: string; from: string }, password = testPassword) {
  const client = createPortalClient(urls.portal, { from })
  return client.post('/api/session', { email, password }).then((answer) => ({ client, answer }))
}

t.test('signing up by the link of the mail leads to a session that says who one is', async (t) => {
  const { client, email } = await newDeveloper()
  const { status, body, headers } = await client.get('/api/session')
  t.equal(status, 200)
  t.match(body.developer, {
    email,
    name: 'Ada Lovelace',
    isOperator: false,
    pendingEmail: null,
    mails: { limits: true, deprecations: true },
  })
  const lasts = Date.parse(body.expiresAt) - Date.parse(body.createdAt)
  t.ok(lasts >= 8 * hour && lasts < 9 * hour, 'eight hours without a request')
  t.equal(headers['cache-control'], 'no-store')
  t.notOk('set-cookie' in headers, 'the cookie is set by signing in only')
})

t.test(
  'who opens the link of the mail and chooses a password is signed in, under a new session id',
  async (t) => {
    const stranger = await newDeveloper()
    const email = 'sessions-link@example.com'
    const browser = createPortalClient(urls.portal, { from: '10.1.1.1' })
    await browser.post('/api/developers', { email, name: 'Ada Lovelace' })
    const token = await mailedToken(dataDir, 'sign-up', email)
    browser.cookies.set(cookieName, stranger.cookie)
    const answer = await browser.post('/api/developers/verify', { token, password: testPassword })
    t.equal(answer.status, 204)
    const { pair, attributes } = cookieNamed(cookieName, answer)
    t.match(pair, /^tollgate_session=[A-Za-z0-9_-]{43}\.[A-Za-z0-9+/]{43}$/)
    t.same(new Set(attributes), new Set(['Path=/', 'HttpOnly', 'SameSite=Lax']))
    t.match((await browser.get('/api/session')).body, { developer: { email } })
    t.equal(await statusWith(stranger.cookie), 401, 'the session it came with ended')
  },
)

t.test('an invalid link starts no session, and a link from another site is refused', async (t) => {
  const email = 'sessions-used@example.com'
  const person = await signUpAndIn(tollgate, { email, from: '10.1.1.2' })
  const { token } = await awaitMail(dataDir, { kind: 'sign-up', to: email })
  const input = { token, password: testPassword }
  const thief = createPortalClient(urls.portal, { from: '10.1.1.3' })
  const used = await thief.post('/api/developers/verify', input)
  t.match(used, { status: 400, body: { code: 'LINK_INVALID' } })
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const refused = await thief.post('/api/developers/verify', input, { headers: foreign })
  t.equal(refused.status, 403)
  t.equal(thief.cookies.size, 0)
  t.equal((await person.get('/api/session')).status, 200)
})

t.test('an account that waits for approval is not signed in by its link', async (t) => {
  await stores.portalState.setSignUpMode({ mode: 'approval', by: 'test' })
  t.teardown(() => stores.portalState.setSignUpMode({ mode: 'open', by: 'test' }))
  const email = 'sessions-waits@example.com'
  const browser = createPortalClient(urls.portal, { from: '10.1.1.4' })
  await browser.post('/api/developers', { email, name: 'Ada Lovelace' })
  const token = await mailedToken(dataDir, 'sign-up', email)
  const answer = await browser.post('/api/developers/verify', { token, password: testPassword })
  t.equal(answer.status, 204)
  t.equal(browser.cookies.size, 0)
})

t.test('the cookie is for this host alone, out of reach of scripts and other sites', async (t) => {
  const person = await newDeveloper()
  const { answer } = await signInAgain(person)
  const { pair, attributes } = cookieNamed(cookieName, answer)
  t.match(pair, /^tollgate_session=[A-Za-z0-9_-]{43}\.[A-Za-z0-9+/]{43}$/)
  t.same(new Set(attributes), new Set(['Path=/', 'HttpOnly', 'SameSite=Lax']))
})

t.test('visitors get no cookie and leave no row', async (t) => {
  const before = await db.selectFrom('sessions').select('id_hash').execute()
  const visitor = createPortalClient(urls.portal)
  for (const path of ['/api/session', '/api/apis', '/']) await visitor.get(path)
  await visitor.post('/api/session', { email: 'nobody@example.com', password: 'wrong' })
  t.equal(visitor.cookies.size, 0)
  t.same(await db.selectFrom('sessions').select('id_hash').execute(), before)
})

t.test('the database holds the SHA-256 of a session id, never the id', async (t) => {
  const { cookie, id } = await newDeveloper()
  const sessionId = cookie.split('.', 1)[0] ?? ''
  const rows = await db
    .selectFrom('sessions')
    .select('id_hash')
    .where('developer_id', '=', id)
    .execute()
  t.same(
    rows.map((row) => row.id_hash.toString('hex')),
    [createHash('sha256').update(sessionId).digest('hex')],
  )
})

t.test('a session planted before the sign-in is not the one after it', async (t) => {
  const [victim, attacker] = [await newDeveloper(), await newDeveloper()]
  const client = createPortalClient(urls.portal, { from: victim.from })
  client.cookies.set(cookieName, attacker.cookie)
  await client.post('/api/session', { email: victim.email, password: testPassword })
  t.not(client.cookies.get(cookieName), attacker.cookie)
  t.equal((await client.get('/api/session')).body.developer.email, victim.email)
  t.equal(await statusWith(attacker.cookie), 401, 'the planted one is dead')

  const made = createPortalClient(urls.portal, { from: victim.from })
  made.cookies.set(cookieName, `${'a'.repeat(43)}.${'b'.repeat(43)}`)
  const answer = await made.post('/api/session', { email: victim.email, password: testPassword })
  t.notMatch(made.cookies.get(cookieName), /^aaa/)
  t.equal(answer.headers['set-cookie']?.match(/tollgate_session=/g)?.length, 1)
})

t.test('a cookie that was tampered with opens no session', async (t) => {
  const { cookie } = await newDeveloper()
  const [id = '', signature = ''] = cookie.split('.')
  const turned = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`
  for (const forged of [id, `${turned}.${signature}`, `${id}.`, `${id}.${signature}A`, '', '.']) {
    t.equal(await statusWith(forged), 401, forged)
  }
  t.equal(await statusWith(cookie), 200)
})

t.test('an unknown cookie is not deleted: a newer one may be on its way', async (t) => {
  const { client, cookie } = await newDeveloper()
  await client.delete('/api/session')
  const late = createPortalClient(urls.portal)
  late.cookies.set(cookieName, cookie)
  const { status, headers } = await late.get('/api/session')
  t.equal(status, 401)
  t.notOk('set-cookie' in headers)
})

t.test('two cookies of that name are refused: one of them is not ours', async (t) => {
  const { cookie } = await newDeveloper()
  for (const header of [
    `${cookieName}=${cookie}; ${cookieName}=${cookie}`,
    `${cookieName}=x; other=1; ${cookieName}=${cookie}`,
    `${cookieName} = x;${cookieName}=${cookie}`,
  ]) {
    const answer = await createPortalClient(urls.portal).get('/api/session', {
      headers: { cookie: header },
    })
    t.equal(answer.status, 400, header)
    t.equal(answer.body.code, 'HEADERS_INVALID')
  }
})

t.test(
  'an old id is dead after signing out, and out of nothing nothing is signed out',
  async (t) => {
    const { client, cookie } = await newDeveloper()
    t.equal((await client.delete('/api/session')).status, 204)
    t.notOk(client.cookies.has(cookieName))
    t.equal(await statusWith(cookie), 401)
    t.equal((await client.delete('/api/session')).status, 204)
  },
)

t.test(
  'signing out everywhere ends the sessions of all browsers, and of no other developer',
  async (t) => {
    const [person, other] = [await newDeveloper(), await newDeveloper()]
    const { client: second } = await signInAgain(person)
    t.equal((await second.delete('/api/sessions')).status, 204)
    t.equal(await statusWith(person.cookie), 401)
    t.notOk(second.cookies.has(cookieName))
    t.equal(await statusWith(other.cookie), 200)
  },
)

t.test(
  'a password change needs the old password, ends every other session and gives this one a new id',
  async (t) => {
    const person = await newDeveloper()
    const { client: second } = await signInAgain(person)
    const secondCookie = second.cookies.get(cookieName) ?? ''
    for (const currentPassword of ['not the password', undefined]) {
      const change = { currentPassword, password: otherPassword }
      const refused = await person.client.patch('/api/session/developer', change)
      t.equal(refused.status, currentPassword === undefined ? 400 : 401)
    }
    const changed = await person.client.patch('/api/session/developer', {
      currentPassword: testPassword,
      password: otherPassword,
    })
    t.equal(changed.status, 200, changed.text)
    t.not(person.client.cookies.get(cookieName), person.cookie)
    t.equal((await person.client.get('/api/session')).status, 200)
    t.equal(await statusWith(person.cookie), 401)
    t.equal(await statusWith(secondCookie), 401)
    t.equal((await signInAgain(person)).answer.status, 401, 'the old password is none any more')
    t.equal((await signInAgain(person, otherPassword)).answer.status, 200)
  },
)

t.test('a reset ends every session', async (t) => {
  const { client, cookie, email } = await newDeveloper()
  await client.post('/api/password-resets', { email })
  const token = await mailedToken(dataDir, 'password-reset', email)
  const confirmed = await client.post('/api/password-resets/confirm', {
    token,
    password: otherPassword,
  })
  t.equal(confirmed.status, 204)
  t.equal(await statusWith(cookie), 401)
})

t.test('a suspension ends every session, and only the right password reveals it', async (t) => {
  const person = await newDeveloper()
  await stores.developers.suspend({ id: person.id, by: 'test' })
  t.equal(await statusWith(person.cookie), 401)
  t.match((await signInAgain(person)).answer, {
    status: 403,
    body: { code: 'DEVELOPER_SUSPENDED' },
  })
  t.match((await signInAgain(person, 'a wrong one')).answer, {
    status: 401,
    body: { code: 'CREDENTIALS_INVALID' },
  })
  await stores.developers.resume({ id: person.id, by: 'test' })
  t.equal(await statusWith(person.cookie), 401, 'it does not come back')
  t.equal((await signInAgain(person)).answer.status, 200)
})

t.test('a deleted account leaves nothing: no session, no way in, no row', async (t) => {
  const person = await newDeveloper()
  const application = await person.client.post('/api/applications', { name: 'To be gone' })
  t.equal(application.status, 201, application.text)
  const refused = await person.client.delete('/api/session/developer', {
    currentPassword: 'not the password',
  })
  t.match(refused, { status: 401, body: { code: 'CREDENTIALS_INVALID' } })
  const deleted = await person.client.delete('/api/session/developer', {
    currentPassword: testPassword,
  })
  t.equal(deleted.status, 204)
  t.equal(await statusWith(person.cookie), 401)
  t.equal((await signInAgain(person)).answer.status, 401)
  t.equal(await stores.applications.find(application.body.id), undefined)
  for (const table of ['developers', 'mail_tokens'] as const) {
    const left = await db
      .selectFrom(table)
      .select('email')
      .where('email', '=', person.email)
      .execute()
    t.same(left, [], table)
  }
  const told = await stores.audit.list({ subject: `developer:${person.id}`, limit: 10 })
  t.equal(told[0]?.action, 'developer.delete')
  t.notMatch(JSON.stringify(told), person.email)
})

t.test('a session ends after eight hours without a request and after seven days', async (t) => {
  const { cookie, id } = await newDeveloper()
  const seen = (ago: string) =>
    db
      .updateTable('sessions')
      .set({ seen_at: sql`now() - ${sql.lit(ago)}::interval` })
      .where('developer_id', '=', id)
      .execute()
  await seen('7 hours 59 minutes')
  t.equal(await statusWith(cookie), 200)
  const { age } = await db
    .selectFrom('sessions')
    .select(sql<number>`extract(epoch from now() - seen_at)::int`.as('age'))
    .where('developer_id', '=', id)
    .executeTakeFirstOrThrow()
  t.ok(age < 60, 'a request is noted')
  await seen('8 hours 1 second')
  t.equal(await statusWith(cookie), 401)
  await seen('0 seconds')
  await db
    .updateTable('sessions')
    .set({ expires_at: sql`now() - interval '1 second'` })
    .where('developer_id', '=', id)
    .execute()
  t.equal(await statusWith(cookie), 401)
  await stores.sessions.prune()
  const rows = await db
    .selectFrom('sessions')
    .select('id_hash')
    .where('developer_id', '=', id)
    .execute()
  t.same(rows, [], 'what has expired is deleted')
})

t.test('the list of sessions names each browser, and one ends without the others', async (t) => {
  const [person, stranger] = [await newDeveloper(), await newDeveloper()]
  const second = createPortalClient(urls.portal, { from: person.from })
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
  const credentials = { email: person.email, password: testPassword }
  await second.post('/api/session', credentials, { headers: { 'user-agent': firefox } })
  const { body } = await person.client.get('/api/sessions')
  t.equal(body.items.length, 2)
  const [own, other] = body.items.toSorted((a: { isCurrent: boolean }) => (a.isCurrent ? -1 : 1))
  t.match(own, { isCurrent: true, factor: null })
  t.match(other, { isCurrent: false, agent: firefox, createdAt: String, seenAt: String })
  t.notMatch(JSON.stringify(body), person.cookie.split('.', 1)[0] ?? '', 'no id opens a session')

  const foreign = await stranger.client.delete(`/api/sessions/${other.id}`)
  t.match(foreign, { status: 404, body: { code: 'NOT_FOUND' } })
  for (const id of ['x', '%00', '00000000-0000-4000-8000-000000000000']) {
    t.equal((await person.client.delete(`/api/sessions/${id}`)).status, 404, id)
  }
  t.equal((await second.get('/api/session')).status, 200)
  t.equal((await person.client.delete(`/api/sessions/${other.id}`)).status, 204)
  t.equal((await second.get('/api/session')).status, 401)
  t.equal((await person.client.get('/api/session')).status, 200)
  t.equal((await person.client.delete(`/api/sessions/${own.id}`)).status, 204)
  t.notOk(person.client.cookies.has(cookieName), 'its own cookie goes with it')
})

t.test('of more than 20 sessions the one unused for the longest time ends', async (t) => {
  const person = await newDeveloper()
  const { hash } = await db
    .selectFrom('developers')
    .select('password_hash as hash')
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow()
  const begin = (id: string) =>
    stores.sessions.begin({
      id,
      developerId: person.id,
      passwordHash: hash ?? '',
      factor: null,
      agent: 'test',
    })
  for (let at = 0; at < 19; at += 1) t.ok(await begin(`${person.id} ${at}`))
  t.equal(await statusWith(person.cookie), 200)
  await db
    .updateTable('sessions')
    .set({ seen_at: sql`now() - interval '1 hour'` })
    .where(
      'id_hash',
      '=',
      createHash('sha256')
        .update(person.cookie.split('.', 1)[0] ?? '')
        .digest(),
    )
    .execute()
  await Promise.all(Array.from({ length: 5 }, (_, at) => begin(`${person.id} late ${at}`)))
  t.equal(await statusWith(person.cookie), 401)
  t.equal((await stores.sessions.list(person.id)).length, 20)
})

t.test('a session of an operator ends after one hour without a request and after 12', async (t) => {
  const beside = await besidePortal(t, tollgate)
  const operator = await beside.signIn({ isOperator: true })
  const status = async () => (await operator.send('GET', '/api/operator/sign-up')).status
  const set = (values: { seen_at?: string; created_at?: string }) =>
    db
      .updateTable('sessions')
      .set(
        Object.fromEntries(
          Object.entries(values).map(([column, ago]) => [
            column,
            sql`now() - ${sql.lit(ago)}::interval`,
          ]),
        ),
      )
      .where('developer_id', '=', operator.developer.id)
      .execute()
  await set({ seen_at: '59 minutes' })
  t.equal(await status(), 200)
  await set({ seen_at: '1 hour 1 second' })
  t.equal(await status(), 401)
  await set({ seen_at: '0 seconds', created_at: '11 hours 59 minutes' })
  t.equal(await status(), 200)
  const { body } = await operator.send('GET', '/api/session')
  const lasts = Date.parse(body.expiresAt) - Date.parse(body.createdAt)
  t.equal(lasts, 12 * hour, 'and its developer sees that')
  await set({ created_at: '12 hours 1 second' })
  t.equal(await status(), 401)
  await set({ created_at: '0 seconds' })
  await db
    .updateTable('sessions')
    .set({ factor: null })
    .where('developer_id', '=', operator.developer.id)
    .execute()
  t.equal(await status(), 401, 'without a second factor it is no session')
})

t.test('all sessions end when a developer becomes an operator', async (t) => {
  const person = await newDeveloper()
  await stores.operators.add({ id: person.id, by: 'test' })
  t.equal(await statusWith(person.cookie), 401)
  await stores.operators.remove({ id: person.id, by: 'test' })
  t.equal(await statusWith(person.cookie), 401, 'it does not come back')
})

t.test('a session cannot begin with a password that was changed meanwhile', async (t) => {
  const { id } = await newDeveloper()
  const proof = { developerId: id, passwordHash: 'another', factor: null }
  const begun = await stores.sessions.begin({ id: 'x', agent: '', ...proof })
  t.equal(begun, false)
})

t.test('a database that is away is an outage, not a sign-out', async (t) => {
  const missingSocket = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' })
  const away = () => Promise.reject(missingSocket)
  const store = createSessionStore({ find: away })
  const error = await new Promise((resolve) => store.get('x', resolve))
  t.match(error, { refusal: { code: 'STORE_UNAVAILABLE' } })
  t.notMatch(error, { code: 'ENOENT' }, 'which @fastify/session takes for "no such session"')
})

t.test('what a session needs is refused without one, before its body is looked at', async (t) => {
  const visitor = createPortalClient(urls.portal)
  for (const [method, path] of [
    ['get', '/api/session'],
    ['delete', '/api/sessions'],
    ['patch', '/api/session/developer'],
    ['put', '/api/session/developer/mails'],
    ['put', '/api/session/language'],
    ['delete', '/api/session/developer'],
    ['get', '/api/applications'],
  ] as const) {
    const answer =
      method === 'get'
        ? await visitor.get(path)
        : await visitor[method](path, '{"broken', {
            headers: { 'content-type': 'application/json' },
          })
    t.match(answer, { status: 401, body: { code: 'SESSION_REQUIRED' } }, `${method} ${path}`)
  }
})

t.test('every change of an account leaves an audit entry without personal data', async (t) => {
  const { client, id, email } = await newDeveloper()
  await client.patch('/api/session/developer', { currentPassword: testPassword, name: 'Grace' })
  await client.put('/api/session/developer/mails', {
    limits: true,
    deprecations: true,
    expiry: true,
  })
  await client.delete('/api/session')
  const told = await stores.audit.list({ subject: `developer:${id}`, limit: 20 })
  t.same(
    told.map(({ action }) => action),
    [
      'session.end',
      'developer.choose-mails',
      'developer.update',
      'session.begin',
      'developer.sign-up',
    ],
  )
  for (const entry of told) {
    t.equal(entry.actor, `developer:${id}`)
    t.notMatch(JSON.stringify(entry), new RegExp(`${email}|Grace|Ada`))
  }
})
