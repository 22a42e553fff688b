import { sql } from 'kysely'
import t from 'tap'
import { freePort } from '../support/free-port.ts'
import { metricsOf } from '../support/metrics.ts'
import {
  passProvider,
  providerBrowser,
  testClient,
  testProvider,
} from '../support/openid-provider.ts'
import { createPortalClient, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const port = await freePort()
const portalUrl = `http://localhost:${port}`
const provider = await testProvider(t, portalUrl)
const tollgate = await runTollgate(t, {
  env: {
    PORTAL_PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: testClient.id,
    OIDC_CLIENT_SECRET: testClient.secret,
    OIDC_OPERATOR_GROUP: 'gateway-operators',
    OIDC_LABEL: 'Bank login',
  },
})
const { stores, db } = await besidePortal(t, tollgate)
let people = 0

/** A person at the provider, with a browser. */
function newDeveloper(groups: readonly string[] = []) {
  people += 1
  const login = `person-${people}`
  const person = {
    email: `${login}@bank.example`,
    isVerified: true,
    name: `Person ${people}`,
    groups,
  }
  provider.people.set(login, person)
  const portal = createPortalClient(portalUrl, { from: `10.9.0.${people}` })
  return { login, person, portal, there: providerBrowser(provider) }
}
type NewDeveloper = ReturnType<typeof newDeveloper>

/** Goes to the provider and back. @returns the path that the provider sends the browser to */
async function go(
  { portal, there, login }: NewDeveloper,
  body: object = {},
  path = 'provider-sign-in',
) {
  const started = await portal.post(`/api/session/${path}`, body)
  t.equal(started.status, 200, started.text)
  return passProvider(there, started.body.url, login)
}

async function signIn(who: NewDeveloper, body: object = {}) {
  return who.portal.get(await go(who, body))
}

const developerOf = ({ person }: NewDeveloper) => stores.developers.findByEmail(person.email)
const refusedPage = { status: 403, headers: { 'content-type': /^text\/html/ } }

t.test('a first sign-in makes an account, later ones find it by issuer and subject', async (t) => {
  const who = newDeveloper()
  const back = await signIn(who, { next: '/profile' })
  t.match(back, { status: 303, headers: { location: '/sign-in?next=%2Fprofile' } }, back.text)
  t.notOk(who.portal.cookies.has('tollgate_oidc'), 'the transaction is over')
  t.match((await who.portal.get('/api/session')).body.developer, {
    email: who.person.email,
    name: who.person.name,
    isOperator: false,
    signsInWith: 'provider',
  })
  t.match((await who.portal.get('/api/sessions')).body.items, [{ factor: 'oidc' }])
  who.person.email = 'renamed@bank.example'
  t.equal((await signIn(who)).status, 303)
  t.match((await who.portal.get('/api/session')).body.developer, { name: who.person.name })
  t.equal(await developerOf(who), undefined, 'another address makes no other account')
  const events = await metricsOf(tollgate.urls.management)
  t.match(events, /portal_sign_ins_total\{method="oidc",result="signed-in"\} 2/)
})

t.test('the answer of a provider fits one browser and one sign-in', async (t) => {
  const who = newDeveloper()
  const thief = newDeveloper()
  const path = await go(who)
  t.match(await thief.portal.get(path), refusedPage, 'another browser')
  const cookie = who.portal.cookies.get('tollgate_oidc') ?? ''
  const state = new URL(path, portalUrl).searchParams.get('state') ?? ''
  t.equal((await who.portal.get(path)).status, 303)
  who.portal.cookies.set('tollgate_oidc', cookie)
  t.match(await who.portal.get(path), refusedPage, 'a code works once')

  const other = await go(thief)
  t.match(await thief.portal.get(other.replace(/state=[^&]+/, `state=${state}`)), refusedPage)
  t.match(await thief.portal.get(other), refusedPage, 'nor after a wrong state')
  const forged = await go(thief)
  const own = thief.portal.cookies.get('tollgate_oidc') ?? ''
  thief.portal.cookies.set('tollgate_oidc', `${own.slice(0, -4)}AAAA`)
  t.match(await thief.portal.get(forged), refusedPage, 'with a cookie that was changed')
  t.equal((await thief.portal.get('/api/session')).status, 401)
})

t.test('an ID token needs nonce, issuer, audience, time and signature', async (t) => {
  const who = newDeveloper()
  t.teardown(() => {
    provider.alter = undefined
    provider.hasForeignKey = false
  })
  const past = Math.floor(Date.now() / 1000) - 7200
  for (const change of [
    { nonce: 'another' },
    { iss: 'http://127.0.0.1:1' },
    { aud: 'another-client' },
    { exp: past },
  ]) {
    provider.alter = (claims) => ({ ...claims, ...change })
    t.match(await signIn(who), refusedPage, JSON.stringify(change))
  }
  provider.alter = (claims) => claims
  provider.hasForeignKey = true
  t.match(await signIn(who), refusedPage, 'a foreign key')
  t.equal(await developerOf(who), undefined)
  provider.hasForeignKey = false
  t.equal((await signIn(who)).status, 303, 'the same, signed by the provider')
})

t.test(
  'the group makes an operator and ends all other sessions; without it the role is gone',
  async (t) => {
    const who = newDeveloper()
    await signIn(who)
    const first = { ...who, portal: createPortalClient(portalUrl, { from: '10.9.1.1' }) }
    first.there = providerBrowser(provider)
    await signIn(first)
    t.equal((await first.portal.get('/api/operator/developers')).status, 404)
    who.person.groups = ['staff', 'gateway-operators']
    t.equal((await signIn(who)).status, 303)
    t.equal((await who.portal.get('/api/operator/developers')).status, 200)
    t.equal((await first.portal.get('/api/session')).status, 401, 'began before the role')
    const id = (await developerOf(who))?.id ?? ''
    const subject = `developer:${id}`
    const granted = await stores.audit.list({ subject, limit: 10 })
    t.ok(granted.find(({ action, actor }) => action === 'operator.add' && actor === 'system'))

    who.person.groups = []
    t.equal((await signIn(who)).status, 303)
    t.equal((await who.portal.get('/api/operator/developers')).status, 404)
    t.match(await developerOf(who), { isOperator: false })
    const taken = await stores.audit.list({ subject, limit: 10 })
    t.ok(taken.find(({ action }) => action === 'operator.remove'))
  },
)

t.test('an address that has an account is not taken over', async (t) => {
  const who = newDeveloper(['gateway-operators'])
  await signUpAndIn(tollgate, { email: who.person.email, from: '10.9.2.1' })
  const answer = await signIn(who)
  t.match(answer, refusedPage)
  t.match(answer.text, 'Another account on this portal already has your email address')
  t.equal((await who.portal.get('/api/session')).status, 401)
  t.match(await developerOf(who), { isOperator: false })
})

t.test('an address that is not verified is refused', async (t) => {
  const who = newDeveloper()
  who.person.isVerified = false
  t.match(await signIn(who), refusedPage)
  t.equal(await developerOf(who), undefined)
})

t.test('an account of the provider gets no password', async (t) => {
  const who = newDeveloper()
  await signIn(who)
  const { id = '', email = '' } = (await developerOf(who)) ?? {}
  t.equal((await who.portal.post('/api/password-resets', { email })).status, 202)
  const links = await db
    .selectFrom('mail_tokens')
    .select('hash')
    .where('developer_id', '=', id)
    .execute()
  t.same(links, [])
  t.equal(await stores.factors.issueEnrolment({ developerId: id, by: 'test' }), undefined)
  const password = db
    .updateTable('developers')
    .set({ password_hash: 'any' })
    .where('id', '=', id)
    .execute()
  await t.rejects(password, { message: /developers_one_way_in/ })
  t.equal((await who.portal.post('/api/session/factors/totp')).status, 409)
})

t.test('name, address and password of a person of the provider are changed there', async (t) => {
  const who = newDeveloper()
  await signIn(who)
  const refusal = { status: 409, body: { code: 'CONFLICT', rule: 'profile-at-provider' } }
  for (const change of [
    { name: 'Another' },
    { currentPassword: testPassword, email: 'another@bank.example' },
    { currentPassword: testPassword, password: 'slow rivers carry old letters' },
  ]) {
    t.match(await who.portal.patch('/api/session/developer', change), refusal)
  }
  t.match(await developerOf(who), { name: who.person.name, email: who.person.email })
})

t.test('a proof is a new sign-in at the provider, by the same person', async (t) => {
  const who = newDeveloper(['gateway-operators'])
  await signIn(who)
  const id = (await developerOf(who))?.id ?? ''
  const age = () =>
    db
      .updateTable('sessions')
      .set({ proved_at: sql`now() - interval '11 minutes'` })
      .where('developer_id', '=', id)
      .execute()
  const change = () => who.portal.put('/api/operator/sign-up', { mode: 'open' })
  t.equal((await change()).status, 200)
  await age()
  t.match(await change(), { status: 403, body: { code: 'STEP_UP_REQUIRED' } })
  t.match((await who.portal.post('/api/session/challenge')).body, { methods: ['provider'] })
  t.equal((await who.portal.post('/api/session/proof', { password: testPassword })).status, 400)

  provider.alter = (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) - 60 })
  t.match(await who.portal.get(await go(who, {}, 'provider')), refusedPage, 'an older sign-in')
  provider.alter = undefined
  const other = newDeveloper()
  const asOther = { ...who, login: other.login, there: providerBrowser(provider) }
  t.match(await who.portal.get(await go(asOther, {}, 'provider')), refusedPage, 'another person')
  t.equal((await change()).status, 403)

  const old = createPortalClient(portalUrl)
  for (const [name, value] of who.portal.cookies) old.cookies.set(name, value)
  t.equal((await old.get('/api/session')).status, 200)
  const proven = await who.portal.get(await go(who, { next: '/operator' }, 'provider'))
  t.match(proven, { status: 303, headers: { location: '/sign-in?next=%2Foperator' } }, proven.text)
  t.equal((await change()).status, 200)
  t.equal((await old.get('/api/session')).status, 401, 'the session has a new id')

  await age()
  who.person.groups = []
  t.match(await who.portal.get(await go(who, {}, 'provider')), refusedPage, 'the role is gone')
  t.equal((await other.portal.post('/api/session/provider')).status, 401, 'without a session')
})

t.test('who cancels, and a provider that is away, get a page that says so', async (t) => {
  const who = newDeveloper()
  const { url } = (await who.portal.post('/api/session/provider-sign-in', {})).body
  const cancelled = await who.portal.get(await passProvider(who.there, url, undefined))
  t.match(cancelled, refusedPage)
  t.match(cancelled.text, 'You cancelled the sign-in')

  await who.portal.post('/api/session/provider-sign-in', {})
  const html = '<script>alert(1)</script>'
  const query = new URLSearchParams({ error: html, error_description: html, state: html })
  t.notMatch((await who.portal.get(`/oidc/callback?${query}`)).text, 'alert(1)')

  const path = await go(who)
  provider.isAway = true
  t.teardown(() => {
    provider.isAway = false
  })
  const away = await who.portal.get(path)
  t.match(away, { status: 503, headers: { 'retry-after': '10' } })
  t.match(away.text, 'The sign-in service does not respond')
})

t.test('sign-out ends the session here, and names the address that ends it there', async (t) => {
  const who = newDeveloper()
  await signIn(who)
  const out = await who.portal.delete('/api/session')
  t.equal(out.status, 200)
  const url = new URL(out.body.url)
  t.equal(url.origin, provider.issuer)
  t.equal(url.searchParams.get('post_logout_redirect_uri'), `${portalUrl}/`)
  t.equal((await who.portal.get('/api/session')).status, 401)
})

t.test('a person of the provider deletes the account without a password', async (t) => {
  const who = newDeveloper()
  await signIn(who)
  t.equal((await who.portal.delete('/api/session/developer', {})).status, 204)
  t.equal(await developerOf(who), undefined)
})

t.test('a portal starts while the provider is away, and finds it later', async (t) => {
  const free = await freePort()
  const late = await testProvider(t, `http://localhost:${free}`)
  late.isAway = true
  const second = await runTollgate(t, {
    env: {
      PORTAL_PORT: String(free),
      OIDC_ISSUER: late.issuer,
      OIDC_CLIENT_ID: testClient.id,
      OIDC_CLIENT_SECRET: testClient.secret,
      OIDC_ACR_VALUES: 'urn:mfa',
    },
  })
  const portal = createPortalClient(second.urls.portal)
  const path = '/api/session/provider-sign-in'
  t.match(await portal.post(path, {}), { status: 503, body: { code: 'PROVIDER_UNAVAILABLE' } })
  late.isAway = false
  const { url } = (await portal.post(path, {})).body
  t.match(url, 'acr_values=urn%3Amfa')
  late.people.set('x', { email: 'x@bank.example', isVerified: true, name: 'X', groups: [] })
  const back = await passProvider(createPortalClient(late.issuer), url, 'x')
  const weak = await portal.get(back)
  t.match(weak, refusedPage)
  t.match(weak.text, 'did not check you as strictly')
})
