import { sql } from 'kysely'
import t from 'tap'
import type { MailTokenPurpose } from '../../src/portal/stores/accounts/mail-tokens.ts'
import { awaitMail, readMails } from '../support/mails.ts'
import { cookieNamed, createPortalClient, mailedToken, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

const origin = 'https://developer.bank.example'
const tollgate = await runTollgate(t, {
  env: { TRUSTED_PROXIES: '127.0.0.1', PORTAL_PUBLIC_URL: origin },
})
const { dataDir, urls } = tollgate
const { stores, db } = await besidePortal(t, tollgate)
const otherPassword = 'slow rivers carry old letters'
let people = 0

/** An address and a client with its own network. */
function newcomer() {
  people += 1
  const email = `links-${people}@example.com`
  const client = createPortalClient(urls.portal, { from: `10.2.0.${people}`, origin })
  return { email, client }
}

async function signUpToken(person: ReturnType<typeof newcomer>): Promise<string> {
  const { email, client } = person
  const { status } = await client.post('/api/developers', { email, name: 'Ada Lovelace' })
  if (status !== 202) throw new Error(`answered ${status}`)
  return mailedToken(dataDir, 'sign-up', email)
}

/** A developer who is signed in. */
async function developer() {
  const person = newcomer()
  const token = await signUpToken(person)
  await person.client.post('/api/developers/verify', { token, password: testPassword })
  await signIn(person, testPassword)
  return person
}

async function signIn({ client, email }: ReturnType<typeof newcomer>, password: string) {
  return (await client.post('/api/session', { email, password })).status
}

function expire(email: string) {
  return db
    .updateTable('mail_tokens')
    .set({ expires_at: sql`now() - interval '1 second'` })
    .where('email', '=', email)
    .execute()
}

t.test('over TLS the cookie is bound to the host, and deleting it works there too', async (t) => {
  const person = newcomer()
  const token = await signUpToken(person)
  await person.client.post('/api/developers/verify', { token, password: testPassword })
  const signedIn = await person.client.post('/api/session', {
    email: person.email,
    password: testPassword,
  })
  const { pair, attributes } = cookieNamed('__Host-tollgate', signedIn)
  t.match(pair, /^__Host-tollgate=/)
  t.same(new Set(attributes), new Set(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']))
  const signedOut = await person.client.delete('/api/session')
  const device = cookieNamed('__Host-tollgate-device', signedIn)
  t.same(
    new Set(device.attributes),
    new Set(['Max-Age=15552000', 'Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']),
  )
  t.match(signedOut.headers['set-cookie'], /^__Host-tollgate=;.*Secure/, 'else browsers ignore it')
})

t.test(
  'there is no developer until the link of the mail is used, and it sets the password',
  async (t) => {
    const person = newcomer()
    const token = await signUpToken(person)
    t.equal(await stores.developers.findByEmail(person.email), undefined)
    t.equal(await signIn(person, testPassword), 401)
    const weak = await person.client.post('/api/developers/verify', {
      token,
      password: `${person.email} is mine`,
    })
    t.match(weak, { status: 400, body: { code: 'INPUT_INVALID', errors: [{ path: '/password' }] } })
    const used = await person.client.post('/api/developers/verify', {
      token,
      password: testPassword,
    })
    t.equal(used.status, 204, 'a refused password does not use the link up')
    const { password_hash: kept } = await db
      .selectFrom('developers')
      .select('password_hash')
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow()
    t.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    t.equal(await signIn(person, testPassword), 200)
  },
)

t.test('links lead to the configured origin, whatever Host was sent', async (t) => {
  const { email, client } = await developer()
  await client.post(
    '/api/password-resets',
    { email },
    { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } },
  )
  const { text, html } = await awaitMail(dataDir, { kind: 'password-reset', to: email })
  t.match(text, `${origin}/reset/confirm#token=`)
  t.notMatch(`${text}${html}`, 'evil.example')
})

/** How each kind of link is made and used; `use` resolves to the status. */
const kinds: readonly {
  readonly purpose: MailTokenPurpose
  readonly make: () => Promise<{
    email: string
    token: string
    use: (token: string) => Promise<number>
  }>
}[] = [
  {
    purpose: 'sign-up',
    async make() {
      const person = newcomer()
      const use = async (token: string) =>
        (await person.client.post('/api/developers/verify', { token, password: testPassword }))
          .status
      return { email: person.email, token: await signUpToken(person), use }
    },
  },
  {
    purpose: 'password-reset',
    async make() {
      const { client, email } = await developer()
      await client.post('/api/password-resets', { email })
      const use = async (token: string) =>
        (await client.post('/api/password-resets/confirm', { token, password: otherPassword }))
          .status
      return { email, token: await mailedToken(dataDir, 'password-reset', email), use }
    },
  },
  {
    purpose: 'email-change',
    async make() {
      const { client, email } = await developer()
      const wanted = `new-${email}`
      await client.patch('/api/session/developer', { currentPassword: testPassword, email: wanted })
      const use = async (token: string) =>
        (await client.post('/api/email-changes/confirm', { token })).status
      return { email: wanted, token: await mailedToken(dataDir, 'email-change', wanted), use }
    },
  },
]

for (const { purpose, make } of kinds) {
  t.test(`a ${purpose} link works once, ten minutes long, for nothing else`, async (t) => {
    const once = await make()
    t.equal(await once.use(once.token), 204)
    t.equal(await once.use(once.token), 400, 'used')

    const late = await make()
    await expire(late.email)
    t.equal(await late.use(late.token), 400, 'expired')

    const raced = await make()
    const statuses = await Promise.all(Array.from({ length: 8 }, () => raced.use(raced.token)))
    t.same(statuses.sort(), [204, 400, 400, 400, 400, 400, 400, 400], 'of eight at once one works')

    for (const other of kinds) {
      if (other.purpose === purpose) continue
      const { token } = await other.make()
      t.equal(await once.use(token), 400, `a ${other.purpose} link`)
    }
    t.equal(await once.use('A'.repeat(43)), 400, 'an invented one')
  })
}

t.test('a newer link of the same kind ends the older ones', async (t) => {
  const person = newcomer()
  const older = await signUpToken(person)
  const { file } = await awaitMail(dataDir, { kind: 'sign-up', to: person.email })
  const variant = person.email.replace('links', 'LINKS')
  await person.client.post('/api/developers', { email: variant, name: 'Ada' })
  const { token: newer } = await awaitMail(dataDir, {
    kind: 'sign-up',
    to: variant,
    after: file,
  })
  const use = (token: string | undefined) =>
    person.client.post('/api/developers/verify', { token, password: testPassword })
  t.equal((await use(older)).status, 400)
  t.equal((await use(newer)).status, 204)
})

t.test('opening a link changes nothing: only a POST uses it', async (t) => {
  const person = newcomer()
  const token = await signUpToken(person)
  for (const path of [`/verify?token=${token}`, `/api/developers/verify?token=${token}`]) {
    await person.client.get(path)
  }
  const used = await person.client.post('/api/developers/verify', { token, password: testPassword })
  t.equal(used.status, 204)
})

t.test('an address in another case is the same account; a look-alike is no address', async (t) => {
  const { email, client } = await developer()
  const variant = email.replace('links', 'LINKS')
  await client.post('/api/developers', { email: variant, name: 'Not Ada' })
  await awaitMail(dataDir, { kind: 'known-address', to: email })
  t.equal(await signIn({ client, email: variant }, testPassword), 200)
  await client.post('/api/password-resets', { email: variant })
  await awaitMail(dataDir, { kind: 'password-reset', to: email })
  t.notOk(
    (await readMails(dataDir)).some(({ to }) => to === variant),
    'mails go to the address that was confirmed',
  )
  for (const hostile of [
    'links-1@exаmple.com',
    'links-1@example.com\r\nBcc: evil@example.com',
    'links-1@example.com\n',
    'links-1@example.com,evil@example.com',
    'links-1@example.com ',
    '"links-1"@example.com',
    'links-1@[127.0.0.1]',
    'links-1@localhost',
    'ＬINKS-1@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(130)}example`,
  ]) {
    for (const path of ['/api/developers', '/api/password-resets']) {
      const answer = await client.post(path, { email: hostile, name: 'X' })
      t.equal(answer.status, 400, JSON.stringify(hostile))
    }
  }
})

t.test('a new address applies once its link is used, and the old one gets a mail', async (t) => {
  const { email, client } = await developer()
  const wanted = `moved-${email}`
  const refused = await client.patch('/api/session/developer', {
    currentPassword: 'a wrong password',
    email: wanted,
  })
  t.match(refused, { status: 401, body: { code: 'CREDENTIALS_INVALID' } })
  const asked = await client.patch('/api/session/developer', {
    currentPassword: testPassword,
    email: wanted,
  })
  t.match(asked, { status: 200, body: { email, pendingEmail: wanted } })
  await client.post('/api/password-resets', { email })
  const oldReset = await mailedToken(dataDir, 'password-reset', email)
  const token = await mailedToken(dataDir, 'email-change', wanted)
  const anybody = createPortalClient(urls.portal, { origin })
  t.equal((await anybody.post('/api/email-changes/confirm', { token })).status, 204)
  t.match((await client.get('/api/session')).body.developer, { email: wanted, pendingEmail: null })
  await awaitMail(dataDir, { kind: 'address-changed', to: email })
  t.equal(await signIn({ client, email }, testPassword), 401)
  t.equal(await signIn({ client, email: wanted }, testPassword), 200)
  const old = await anybody.post('/api/password-resets/confirm', {
    token: oldReset,
    password: otherPassword,
  })
  t.equal(old.status, 400, 'a link to the old mailbox opens nothing')
})

t.test(
  "another developer's address cannot be taken, and asking does not reveal that it exists",
  async (t) => {
    const [person, other, free] = [await developer(), await developer(), newcomer()]
    const ask = (email: string) =>
      person.client.patch('/api/session/developer', { currentPassword: testPassword, email })
    const [taken, unknown] = [await ask(other.email), await ask(free.email)]
    t.equal(taken.status, unknown.status)
    t.same({ ...taken.body, pendingEmail: '' }, { ...unknown.body, pendingEmail: '' })
    await awaitMail(dataDir, { kind: 'known-address', to: other.email })

    const link = await mailedToken(dataDir, 'email-change', free.email)
    const signUp = await signUpToken(free)
    await free.client.post('/api/developers/verify', { token: signUp, password: testPassword })
    t.equal(
      (await person.client.post('/api/email-changes/confirm', { token: link })).status,
      400,
      'it became taken before the link was used',
    )
    t.equal((await person.client.get('/api/session')).body.developer.email, person.email)
  },
)

t.test('a reset gives a first password to who was registered by the operator', async (t) => {
  const person = newcomer()
  await stores.developers.create({ email: person.email, name: 'Onboarded', by: 'operator:cli' })
  t.equal(await signIn(person, testPassword), 401)
  await person.client.post('/api/password-resets', { email: person.email })
  const token = await mailedToken(dataDir, 'password-reset', person.email)
  const weak = await person.client.post('/api/password-resets/confirm', {
    token,
    password: 'onboarded onboarded',
  })
  t.match(weak.body.errors, [{ path: '/password' }])
  await person.client.post('/api/password-resets/confirm', { token, password: testPassword })
  await awaitMail(dataDir, { kind: 'password-changed', to: person.email })
  t.equal(await signIn(person, testPassword), 200)
})

t.test(
  'with approval, no developer signs in before an operator approves; closed means closed',
  async (t) => {
    await stores.portalState.setSignUpMode({ mode: 'approval', by: 'test' })
    const person = newcomer()
    const token = await signUpToken(person)
    const late = newcomer()
    const lateToken = await signUpToken(late)
    await person.client.post('/api/developers/verify', { token, password: testPassword })
    const pending = await person.client.post('/api/session', {
      email: person.email,
      password: testPassword,
    })
    t.match(pending, { status: 403, body: { code: 'APPROVAL_PENDING' } })
    t.equal(await signIn(person, 'a wrong password'), 401)
    await db
      .updateTable('developers')
      .set({ approved_at: sql`now()` })
      .where('email', '=', person.email)
      .execute()
    t.equal(await signIn(person, testPassword), 200)

    await stores.portalState.setSignUpMode({ mode: 'off', by: 'test' })
    const { email, client } = newcomer()
    const closed = await client.post('/api/developers', { email, name: 'Ada' })
    t.match(closed, { status: 403, body: { code: 'SIGN_UP_CLOSED' } })
    const verified = await late.client.post('/api/developers/verify', {
      token: lateToken,
      password: testPassword,
    })
    t.match(verified, { status: 403, body: { code: 'SIGN_UP_CLOSED' } })
    await stores.portalState.setSignUpMode({ mode: 'open', by: 'test' })
  },
)

t.test('no link grants more than was requested', async (t) => {
  const { client, email } = await developer()
  const more = [
    '"role":"operator"',
    '"isOperator":true',
    '"is_operator":true',
    '"verified":true',
    '"approvedAt":"2026-01-01T00:00:00.000Z"',
    '"id":"00000000-0000-4000-8000-000000000000"',
    '"passwordHash":"x"',
    '"__proto__":{"isOperator":true}',
    '"constructor":{"prototype":{"isOperator":true}}',
  ]
  for (const member of more) {
    for (const [method, path, body] of [
      ['post', '/api/developers', `{"email":"mass@example.com","name":"M",${member}}`],
      ['post', '/api/session', `{"email":"${email}","password":"${testPassword}",${member}}`],
      ['patch', '/api/session/developer', `{"currentPassword":"${testPassword}",${member}}`],
    ] as const) {
      const answer = await client[method](path, body)
      t.equal(answer.status, 400, `${path} ${member}`)
      t.equal(answer.body.code, 'INPUT_INVALID')
    }
  }
  t.equal((await client.get('/api/session')).body.developer.isOperator, false)
})

t.test('a member given twice is refused: readers differ in which one counts', async (t) => {
  const { client, email } = await developer()
  for (const [path, body] of [
    ['/api/developers', '{"email":"one@example.com","email":"two@example.com","name":"M"}'],
    ['/api/session', `{"email":"${email}","password":"x","password":"${testPassword}"}`],
  ] as const) {
    const answer = await client.post(path, body)
    t.match([answer.status, answer.body.code], [400, 'INPUT_INVALID'], path)
  }
})

t.test('passwords that are guessed first are refused by name of the rule', async (t) => {
  const { client, email } = await developer()
  const local = email.split('@')[0]
  const refused: readonly (readonly [string, RegExp])[] = [
    ['short', /15/],
    ['fourteen chars', /15/],
    ['correct horse battery staple', /harder to guess: .*common words.*Use four or more words/],
    ['PasswordPassword', /harder to guess: it repeats/],
    ['abcabcabcabcabcabc', /harder to guess: it repeats/],
    ['aaaaaaaaaaaaaaaaaaaa', /harder to guess: it repeats/],
    ['qwertyuiop12345678', /harder to guess: /],
    ['123456789012345678', /harder to guess: /],
    ['1qaz2wsx3edc4rfv5tg', /harder to guess: /],
    [`hello from ${local} today`, /without "/],
    ['my lovelace is mine', /without "/],
    ['the tollgate password', /without "/],
    ['                    ', /15/],
  ]
  for (const [password, rule] of refused) {
    const answer = await client.patch('/api/session/developer', {
      currentPassword: testPassword,
      password,
    })
    t.equal(answer.status, 400, password)
    t.match(answer.body.errors, [{ path: '/password', rule }], password)
  }
  for (const password of [
    'correct horse battery stapler 7',
    'ünïcödé ist auch ein Wort 💡',
    'x7#kQ9!vLm2$wRt8',
    'סיסמה ארוכה מאוד שלי',
  ]) {
    const email = newcomer()
    const token = await signUpToken(email)
    const { status } = await email.client.post('/api/developers/verify', { token, password })
    t.equal(status, 204, password)
    t.equal(await signIn(email, password.normalize('NFD')), 200, 'however a keyboard composes it')
  }
})

t.test('mails that can be done without are chosen one by one', async (t) => {
  const { client } = await developer()
  const mails = { limits: true, deprecations: false, expiry: true }
  t.match(await client.put('/api/session/developer/mails', mails), { status: 200, body: { mails } })
  t.same((await client.get('/api/session')).body.developer.mails, mails)
})
