import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { awaitMail, readMails } from '../support/mails.ts'
import { createPortalClient, mailedToken, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { addApp, appCode, wrongCode } from '../support/second-factor.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const tollgate = await runTollgate(t, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
const { dataDir, urls } = tollgate
const { stores, db } = await besidePortal(t, tollgate)
const otherPassword = 'slow rivers carry old letters'
let people = 0

/** A developer who is signed in, without a second factor. */
async function newDeveloper() {
  people += 1
  const email = `factor-${people}@example.com`
  const from = `10.3.0.${people}`
  const client = await signUpAndIn(tollgate, { email, from })
  const developer = await stores.developers.findByEmail(email)
  if (developer === undefined) throw new Error('the sign-up failed')
  return { client, email, from, id: developer.id }
}

/** One with an authenticator app. */
async function withApp() {
  const person = await newDeveloper()
  return { ...person, ...(await addApp(person.client.post)) }
}

/** The right password; what follows is the second factor. */
async function enterPassword(
  { email, from }: { email: string; from: string },
  password = testPassword,
) {
  const client = createPortalClient(urls.portal, { from })
  const answer = await client.post('/api/session', { email, password })
  const finish = (code: string) =>
    client.post('/api/session/factor', { token: answer.body.token, code })
  return { client, answer, finish }
}

/** Makes the codes of this moment usable again. */
const forgetUsedCodes = (developerId: string) =>
  db
    .updateTable('totp_secrets')
    .set({ last_step: 0 })
    .where('developer_id', '=', developerId)
    .execute()

const failedCodes = async (id: string) =>
  (
    await db
      .selectFrom('developers')
      .select('failed_codes')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).failed_codes

t.test(
  'an authenticator app is added by a code of it, with ten recovery codes, and ends all other sessions',
  async (t) => {
    const person = await newDeveloper()
    const other = await enterPassword(person)
    t.equal(other.answer.status, 200, 'without a second factor the password suffices')
    const { post, get } = person.client
    const offer = await post('/api/session/factors/totp')
    t.match(offer.body, {
      secret: /^[A-Z2-7]{32}$/,
      uri: /^otpauth:\/\/totp\/Tollgate%20localhost:factor-\d+%40example\.com\?issuer=Tollgate%20localhost&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
    })
    const { token, secret } = offer.body
    const confirm = '/api/session/factors/totp/confirm'
    const wrong = await post(confirm, { token, code: wrongCode(secret) })
    t.match(wrong, { status: 401, body: { code: 'SECOND_FACTOR_INVALID' } })
    t.match((await get('/api/session/factors')).body, { totp: null, recoveryCodesLeft: 0 })
    const added = await post(confirm, { token, code: appCode(secret) })
    t.equal(added.status, 200, added.text)
    const codes: string[] = added.body.recoveryCodes
    t.equal(new Set(codes).size, 10)
    for (const code of codes) t.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
    t.equal((await post(confirm, { token, code: appCode(secret) })).status, 400, 'once')
    t.equal((await get('/api/session')).status, 200, 'this session goes on')
    t.equal((await other.client.get('/api/session')).status, 401, 'the other one has ended')
    t.match((await get('/api/session/factors')).body, {
      totp: { createdAt: String, lastUsedAt: null },
      passkeys: [],
      recoveryCodesLeft: 10,
      offersPasskeys: true,
    })
    t.equal((await post('/api/session/factors/totp')).status, 409, 'one app at a time')
    await awaitMail(dataDir, { kind: 'factor-added', to: person.email })
    const [entry] = await stores.audit.list({ subject: `developer:${person.id}`, limit: 1 })
    t.match(entry, { action: 'factor.add', detail: { factor: 'totp' } })
  },
)

t.test('with a second factor the right password alone opens no session', async (t) => {
  const person = await withApp()
  const { client, answer, finish } = await enterPassword(person)
  t.equal(answer.status, 202)
  t.match(answer.body, { methods: ['totp', 'recovery-code'], passkey: null })
  t.notOk('set-cookie' in answer.headers)
  t.equal((await client.get('/api/session')).status, 401)
  const finished = await finish(appCode(person.secret))
  t.equal(finished.status, 200, finished.text)
  t.match(finished.body.developer, { email: person.email })
  t.match((await client.get('/api/sessions')).body.items[0], { isCurrent: true, factor: 'totp' })
})

t.test('a wrong password is answered alike with and without a second factor', async (t) => {
  const [plain, guarded] = [await newDeveloper(), await withApp()]
  const answers = await Promise.all(
    [plain, guarded].map((person) => enterPassword(person, 'not the password')),
  )
  const [first, second] = answers.map(({ answer: { status, body } }) => ({
    status,
    body: { ...body, instance: '' },
  }))
  t.same(first, second)
  t.equal(first?.status, 401)
})

t.test('a code works once, even when eight send it at the same time', async (t) => {
  const person = await withApp()
  const code = appCode(person.secret)
  const started = await Promise.all(Array.from({ length: 4 }, () => enterPassword(person)))
  const twice = [...started, ...started]
  const answers = await Promise.all(twice.map(({ finish }) => finish(code)))
  const done = answers.filter(({ status }) => status === 200)
  t.equal(done.length, 1, answers.map(({ status }) => status).join())
  const { finish } = await enterPassword(person)
  t.equal((await finish(appCode(person.secret, -1))).status, 401, 'nor one before it')
})

t.test('a challenge takes five tries, five minutes and one right answer', async (t) => {
  const person = await withApp()
  const wrong = wrongCode(person.secret)
  const tried = await enterPassword(person)
  for (let tries = 0; tries < 5; tries += 1) t.equal((await tried.finish(wrong)).status, 401)
  const sixth = await tried.finish(appCode(person.secret))
  t.match(sixth, { status: 400, body: { code: 'CHALLENGE_EXPIRED' } })

  const late = await enterPassword(person)
  await db
    .updateTable('factor_challenges')
    .set({ expires_at: sql`now() - interval '1 second'` })
    .where('developer_id', '=', person.id)
    .execute()
  t.equal((await late.finish(appCode(person.secret))).status, 400)
  await stores.factorChallenges.prune()
  const left = await db
    .selectFrom('factor_challenges')
    .select('hash')
    .where('developer_id', '=', person.id)
    .execute()
  t.same(left, [], 'what has expired is deleted')

  const used = await enterPassword(person)
  t.equal((await used.finish(appCode(person.secret))).status, 200)
  await forgetUsedCodes(person.id)
  t.equal((await used.finish(appCode(person.secret))).status, 400)
})

t.test('a recovery code works once, as people type it, and its owner gets a mail', async (t) => {
  const person = await withApp()
  const [first = '', second = ''] = person.recoveryCodes
  const typed = ` ${first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')} `
  const { client, finish } = await enterPassword(person)
  t.equal((await finish(typed)).status, 200)
  t.match((await client.get('/api/sessions')).body.items[0], { factor: 'recovery-code' })
  t.equal((await client.get('/api/session/factors')).body.recoveryCodesLeft, 9)
  await awaitMail(dataDir, { kind: 'recovery-code-used', to: person.email })
  const again = await enterPassword(person)
  t.equal((await again.finish(first)).status, 401, 'used')
  const stranger = await enterPassword(await withApp())
  t.equal((await stranger.finish(second)).status, 401, 'of another developer')

  const replaced = await client.post('/api/session/factors/recovery-codes')
  t.equal(replaced.body.recoveryCodes.length, 10)
  t.equal((await again.finish(second)).status, 401, 'replaced')
  t.equal((await again.finish(replaced.body.recoveryCodes[0])).status, 200)
})

t.test(
  'ten wrong codes warn the owner and pause codes; a hundred in a row need a new password',
  async (t) => {
    const person = await withApp()
    const wrong = wrongCode(person.secret)
    for (let round = 0; round < 2; round += 1) {
      const { finish } = await enterPassword(person)
      for (let tries = 0; tries < 5; tries += 1) t.equal((await finish(wrong)).status, 401)
    }
    await awaitMail(dataDir, { kind: 'codes-refused', to: person.email })
    const paused = await enterPassword(person)
    const refused = await paused.finish(appCode(person.secret))
    t.match(refused, { status: 429, body: { code: 'ATTEMPTS_EXCEEDED' } })
    t.ok(Number(refused.headers['retry-after']) <= 900)
    t.equal(await failedCodes(person.id), 10, 'a code that is not compared is not counted')

    const other = await withApp()
    await db
      .updateTable('developers')
      .set({ failed_codes: 100 })
      .where('id', '=', other.id)
      .execute()
    const locked = await (await enterPassword(other)).finish(appCode(other.secret))
    t.match(locked, { status: 401, body: { detail: /choose a new password/ } })
    await other.client.post('/api/password-resets', { email: other.email })
    const token = await mailedToken(dataDir, 'password-reset', other.email)
    await other.client.post('/api/password-resets/confirm', { token, password: otherPassword })
    const unlocked = await enterPassword(other, otherPassword)
    t.equal(unlocked.answer.status, 202, 'the reset of a password is no way around the factor')
    t.equal((await unlocked.finish(appCode(other.secret))).status, 200)
    t.equal(await failedCodes(other.id), 0)
  },
)

t.test('a sign-in under way ends when password or suspension changes', async (t) => {
  const person = await withApp()
  const waiting = await enterPassword(person)
  const changed = await person.client.patch('/api/session/developer', {
    currentPassword: testPassword,
    password: otherPassword,
  })
  t.equal(changed.status, 200, changed.text)
  t.equal((await person.client.get('/api/session')).status, 200, 'this browser stays signed in')
  t.equal((await waiting.finish(appCode(person.secret))).status, 400)

  const second = await enterPassword(person, otherPassword)
  await stores.developers.suspend({ id: person.id, by: 'test' })
  t.equal((await second.finish(appCode(person.secret))).status, 400)
})

t.test('who has a session cannot end the challenge of a sign-in under way', async (t) => {
  const person = await withApp()
  const { finish } = await enterPassword(person)
  for (let asked = 0; asked < 25; asked += 1) await person.client.post('/api/session/challenge')
  const kept = await db
    .selectFrom('factor_challenges')
    .select('purpose')
    .where('developer_id', '=', person.id)
    .execute()
  t.equal(kept.filter(({ purpose }) => purpose === 'step-up').length, 20)
  t.equal((await finish(appCode(person.secret))).status, 200)
})

t.test('a challenge serves its own purpose and developer only', async (t) => {
  const [person, other] = [await withApp(), await withApp()]
  const signingIn = await enterPassword(person)
  const { token } = (await person.client.post('/api/session/challenge')).body
  const code = appCode(person.secret)
  const stepUpToSignIn = await signingIn.client.post('/api/session/factor', { token, code })
  t.equal(stepUpToSignIn.status, 400, 'a step-up does not sign in')
  const signInToStepUp = await person.client.post('/api/session/proof', {
    token: signingIn.answer.body.token,
    code,
  })
  t.equal(signInToStepUp.status, 400, 'a sign-in does not prove')
  const foreign = await other.client.post('/api/session/proof', { token, code })
  t.equal(foreign.status, 400, 'nor does the challenge of another developer')
  for (const body of [
    { token },
    { token, code, passkey: { id: 'x', response: {} } },
    { token, code: '' },
    { token, code, other: 1 },
    { code },
  ]) {
    const answer = await signingIn.client.post('/api/session/factor', body)
    t.match(answer, { status: 400, body: { code: 'INPUT_INVALID' } }, JSON.stringify(body))
  }
})

t.test('the database holds no secret, code or token as it is', async (t) => {
  const person = await withApp()
  const { answer } = await enterPassword(person)
  const rows = {
    totp: await db.selectFrom('totp_secrets').selectAll().execute(),
    codes: await db.selectFrom('recovery_codes').selectAll().execute(),
    challenges: await db.selectFrom('factor_challenges').selectAll().execute(),
  }
  const kept = JSON.stringify(rows, (_name, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  t.notMatch(kept, person.secret)
  t.ok(!kept.includes(answer.body.token))
  for (const code of person.recoveryCodes) t.ok(!kept.includes(code.replaceAll('-', '')))
  const [code = ''] = person.recoveryCodes
  const hash = createHash('sha256').update(code.replaceAll('-', '')).digest()
  t.ok(rows.codes.some((row) => row.hash.equals(hash)))

  const other = await withApp()
  const { sealed } = rows.totp.find(({ developer_id }) => developer_id === person.id) ?? {}
  await db
    .updateTable('totp_secrets')
    .set({ sealed: sealed ?? Buffer.alloc(0), last_step: 0 })
    .where('developer_id', '=', other.id)
    .execute()
  const moved = await enterPassword(other)
  t.equal((await moved.finish(appCode(person.secret))).status, 401, 'a copied row opens nothing')
})

t.test('removing the last factor takes the recovery codes along; a developer may', async (t) => {
  const person = await withApp()
  t.equal((await person.client.delete('/api/session/factors/totp')).status, 204)
  t.equal((await person.client.delete('/api/session/factors/totp')).status, 404)
  t.match((await person.client.get('/api/session/factors')).body, {
    totp: null,
    recoveryCodesLeft: 0,
  })
  await awaitMail(dataDir, { kind: 'factor-removed', to: person.email })
  t.equal((await enterPassword(person)).answer.status, 200)
})

t.test('an operator cannot sign in without a second factor, nor remove the last one', async (t) => {
  const bare = await newDeveloper()
  await stores.operators.add({ id: bare.id, by: 'test' })
  t.equal((await bare.client.get('/api/session')).status, 401, 'the developer’s session has ended')
  const { answer } = await enterPassword(bare)
  t.match(answer, { status: 403, body: { code: 'ENROLMENT_REQUIRED' } })
  t.notOk('set-cookie' in answer.headers)
  t.equal((await enterPassword(bare, 'not the password')).answer.status, 401, 'else nobody learns')

  const person = await withApp()
  await stores.operators.add({ id: person.id, by: 'test' })
  const { client, finish } = await enterPassword(person)
  t.equal((await finish(appCode(person.secret))).status, 200, 'the app from before still works')
  t.equal((await client.get('/api/operator/sign-up')).status, 200)
  const removed = await client.delete('/api/session/factors/totp')
  t.match(removed, { status: 409, body: { rule: 'last-factor' } })
  t.not((await client.get('/api/session/factors')).body.totp, null)
})

/** An operator's new account, and the link that the command prints. */
async function newOperator() {
  people += 1
  const email = `operator-${people}@bank.example`
  const { id } = await stores.developers.create({ email, name: 'Olga', by: 'test' })
  await stores.operators.add({ id, by: 'test' })
  const token = (await stores.factors.issueEnrolment({ developerId: id, by: 'test' })) ?? ''
  const from = `10.3.1.${people}`
  return { email, id, token, from, client: createPortalClient(urls.portal, { from }) }
}

t.test(
  'the link of an enrolment sets the first password and factor, and signs the operator in',
  async (t) => {
    const { client, token, email, from, id } = await newOperator()
    const offer = await client.post('/api/enrolments', { token })
    t.match(offer, {
      status: 200,
      body: { email, hasPassword: false, passkey: { rp: { id: 'localhost' } } },
    })
    const { challenge, secret } = offer.body
    const confirm = (changes: object) =>
      client.post('/api/enrolments/confirm', {
        token,
        challenge,
        password: testPassword,
        code: appCode(secret),
        ...changes,
      })
    const weak = await confirm({ password: 'too short' })
    t.match(weak, { status: 400, body: { errors: [{ path: '/password' }] } })
    t.equal((await confirm({ code: wrongCode(secret) })).status, 401)
    t.equal((await confirm({ challenge: 'A'.repeat(43) })).status, 400)
    t.equal(client.cookies.size, 0)
    t.notOk(await stores.credentials.hasPassword(id), 'a refused enrolment leaves nothing')
    const done = await confirm({})
    t.equal(done.status, 200, done.text)
    t.equal(done.body.recoveryCodes.length, 10)
    t.equal((await client.get('/api/operator/sign-up')).status, 200)
    t.match(await client.post('/api/enrolments', { token }), {
      status: 400,
      body: { code: 'LINK_INVALID' },
    })
    const accepted = () =>
      db
        .selectFrom('security_events')
        .select('detail')
        .where('event', '=', 'sign-in.accepted')
        .where('actor', '=', `developer:${id}`)
        .execute()
    await until('the sign-in is recorded', async () => (await accepted()).length === 1)
    const { finish } = await enterPassword({ email, from })
    t.equal((await finish(appCode(secret, 1))).status, 200)
  },
)

t.test('of eight enrolments by one link at once one succeeds', async (t) => {
  const { client, token } = await newOperator()
  const offers = await Promise.all(
    Array.from({ length: 8 }, () => client.post('/api/enrolments', { token })),
  )
  const answers = await Promise.all(
    offers.map(({ body: { challenge, secret } }) =>
      createPortalClient(urls.portal, { from: '10.3.2.1' }).post('/api/enrolments/confirm', {
        token,
        challenge,
        password: testPassword,
        code: appCode(secret),
      }),
    ),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)])
})

t.test(
  'the holder of an enrolment link guesses the password no faster than a stranger',
  async (t) => {
    const person = await newDeveloper()
    await stores.operators.add({ id: person.id, by: 'test' })
    const token =
      (await stores.factors.issueEnrolment({ developerId: person.id, by: 'test' })) ?? ''
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) {
      // A browser without a session, so each request has a new session id.
      const thief = createPortalClient(urls.portal, { from: '10.3.2.9' })
      const { body } = await thief.post('/api/enrolments', { token })
      const { challenge, secret } = body
      const guess = { token, challenge, password: `guess number ${at}`, code: appCode(secret) }
      statuses.push((await thief.post('/api/enrolments/confirm', guess)).status)
    }
    t.same(statuses, [...new Array(10).fill(401), 429, 429])
  },
)

t.test('with a password the link asks for it; the link alone is worth nothing', async (t) => {
  const person = await newDeveloper()
  await stores.operators.add({ id: person.id, by: 'test' })
  const issue = () => stores.factors.issueEnrolment({ developerId: person.id, by: 'test' })
  const token = (await issue()) ?? ''
  const thief = createPortalClient(urls.portal, { from: '10.3.2.2' })
  const { body } = await thief.post('/api/enrolments', { token })
  t.equal(body.hasPassword, true)
  const confirm = (password: string) =>
    thief.post('/api/enrolments/confirm', {
      token,
      challenge: body.challenge,
      password,
      code: appCode(body.secret),
    })
  t.match(await confirm(otherPassword), { status: 401, body: { code: 'CREDENTIALS_INVALID' } })
  t.equal((await confirm(testPassword)).status, 200)
  t.equal(await issue(), undefined, 'an account with a factor gets no link')
})

t.test(
  'a link of an enrolment ends with a newer one, after an hour, and with the role',
  async (t) => {
    const { client, token, id } = await newOperator()
    const newer = (await stores.factors.issueEnrolment({ developerId: id, by: 'test' })) ?? ''
    const status = async (given: string) =>
      (await client.post('/api/enrolments', { token: given })).status
    t.equal(await status(token), 400)
    t.equal(await status(newer), 200)
    const { lasts } = await db
      .selectFrom('mail_tokens')
      .select(sql<number>`extract(epoch from expires_at - now())::int`.as('lasts'))
      .where('developer_id', '=', id)
      .where('used_at', 'is', null)
      .executeTakeFirstOrThrow()
    t.ok(lasts > 3500 && lasts <= 3600, `${lasts} s`)
    await stores.operators.remove({ id, by: 'test' })
    t.equal(await status(newer), 400)
    await stores.operators.add({ id, by: 'test' })
    await db
      .updateTable('mail_tokens')
      .set({ expires_at: sql`now() - interval '1 second'` })
      .where('developer_id', '=', id)
      .execute()
    t.equal(await status(newer), 400)
  },
)

t.test('a reset of the factors ends sessions, sends a mail and leaves the password', async (t) => {
  const person = await withApp()
  await stores.factors.reset({ developerId: person.id, by: 'operator:test' })
  t.equal((await person.client.get('/api/session')).status, 401)
  const { client, answer } = await enterPassword(person)
  t.equal(answer.status, 200)
  t.match((await client.get('/api/session/factors')).body, { totp: null, recoveryCodesLeft: 0 })
  const entries = await stores.audit.list({ subject: `developer:${person.id}`, limit: 2 })
  t.match(entries[1], { action: 'factor.reset', actor: 'operator:test' })
  const { text } = await awaitMail(dataDir, { kind: 'factors-reset', to: person.email })
  t.match(text, 'The operator of the portal removed the authenticator app')
})

t.test('no mail holds a secret or a code', async (t) => {
  const kinds = /^(factor|recovery|codes)-/
  const mails = (await readMails(dataDir)).filter(({ kind }) => kinds.test(kind))
  t.ok(mails.length > 5)
  for (const { text } of mails) {
    t.notMatch(text, /[A-Z2-7]{32}|([0-9a-z]{4}-){3}[0-9a-z]{4}|\b\d{6}\b/)
  }
})
