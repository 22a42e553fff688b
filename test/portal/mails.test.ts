import { join } from 'node:path'
import t from 'tap'
import { readDataFolderSecret } from '../../src/platform/database/data-folder.ts'
import { createOptOuts } from '../../src/portal/mail/opt-out.ts'
import { readMailFiles } from '../../src/portal/mail/read-mail-files.ts'
import { derivePortalSecrets } from '../../src/portal/sealing/portal-secrets.ts'
import { tollgate as command } from '../support/cli.ts'
import { awaitMail, readMails } from '../support/mails.ts'
import { metricsOf } from '../support/metrics.ts'
import { createPortalClient, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'
import { until } from '../support/until.ts'

const running = await runTollgate(t)
const { dataDir, urls } = running
const portal = await besidePortal(t, running)
const sessionSecret = (await readDataFolderSecret(dataDir, 'session-secret')) ?? ''
const optOuts = createOptOuts({ key: derivePortalSecrets(() => sessionSecret).optOut })

/** Sends a body of some type, as the server of a mail provider does. */
function postForm(path: string, type: string, body: string, headers: Record<string, string> = {}) {
  return fetch(`${urls.portal}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  })
}

const form = 'application/x-www-form-urlencoded'

async function developerWithKeys(email: string) {
  const { developer, send } = await portal.signIn({ email })
  const { body: application } = await send('POST', '/api/applications', {
    name: 'Evil http://evil.example',
  })
  const path = `/api/applications/${application.id}/keys`
  const issue = async (name: string) => (await send('POST', path, { name })).body
  const wants = async () =>
    portal.db
      .selectFrom('developers')
      .select(['mails_limits', 'mails_deprecations'])
      .where('id', '=', developer.id)
      .executeTakeFirstOrThrow()
  return { developer, send, path, issue, wants, applicationId: String(application.id) }
}

t.test(
  'changes of keys are announced by mail, whether made on the portal or by a command',
  async (t) => {
    const email = 'grace@example.com'
    const { send, path, issue, applicationId } = await developerWithKeys(email)
    const issued = await issue('first')
    const mail = await awaitMail(dataDir, { kind: 'key-issued', to: email })
    t.ok(mail.text.includes(issued.hint))
    t.ok(mail.text.includes('"Evil http[:]//evil[.]example"'))
    t.ok(
      mail.text.includes(`${urls.portal}/applications/${applicationId}/keys`),
      'a link with the real port',
    )
    t.notOk(`${mail.text}${mail.html}`.includes(issued.key))

    const rotated = await send('POST', `${path}/${issued.id}/rotate`, { overlapSeconds: 3600 })
    const replaced = await awaitMail(dataDir, { kind: 'key-replaced', to: email })
    t.ok(replaced.text.includes(issued.hint))
    t.ok(replaced.text.includes(rotated.body.hint))

    const { code } = await command(running.commandEnv, 'key', 'revoke', rotated.body.id)
    t.equal(code, 0)
    const revoked = await awaitMail(dataDir, { kind: 'key-revoked', to: email })
    t.ok(revoked.text.includes(rotated.body.hint))
    const own = (await readMails(dataDir)).filter(({ to }) => to === email)
    t.same(
      own.map(({ kind }) => kind),
      ['key-issued', 'key-replaced', 'key-revoked'],
      'one each',
    )
  },
)

t.test('a Hebrew browser signs up and gets Hebrew mails, until English is chosen', async (t) => {
  const email = 'tamar@example.com'
  const client = createPortalClient(urls.portal)
  const hebrew = { headers: { 'accept-language': 'he-IL,he;q=0.9,en;q=0.5' } }
  await client.post('/api/developers', { email, name: 'תמר' }, hebrew)
  const mail = await awaitMail(dataDir, { kind: 'sign-up', to: email })
  t.equal(mail.subject, 'אימות כתובת הדוא״ל')
  t.match(mail.html, '<html lang="he" dir="rtl">')
  t.match(mail.text, 'הקישור פועל פעם אחת')
  const [newest] = await readMailFiles(join(dataDir, 'outbox'), 1)
  t.match(newest, { to: email, subject: mail.subject }, 'also on the page of the mailbox')

  const { token } = mail
  await client.post('/api/developers/verify', { token, password: testPassword }, hebrew)
  const language = async () => (await client.get('/api/session')).body.developer.language
  t.equal(await language(), 'he')
  const resets = async (after?: string) => {
    // From a browser that prefers nothing.
    await client.post('/api/password-resets', { email })
    return awaitMail(dataDir, { kind: 'password-reset', to: email, after })
  }
  const reset = await resets()
  t.match(reset.html, '<html lang="he" dir="rtl">', 'the choice counts, not the browser')
  t.match(await client.put('/api/session/language', { language: 'xx' }), { status: 400 })
  t.match(await client.put('/api/session/language', { language: 'en' }), { status: 200 })
  t.equal(await language(), 'en')
  t.match((await resets(reset.file)).html, '<html lang="en" dir="ltr">')
  const again = createPortalClient(urls.portal)
  await again.post('/api/developers', { email, name: 'x' }, hebrew)
  const known = await awaitMail(dataDir, { kind: 'known-address', to: email })
  t.equal(known.subject, 'You already have an account', 'a stranger does not choose the language')
})

t.test('mails about keys have no opt-out', async (t) => {
  const email = 'always@example.com'
  const { send, issue } = await developerWithKeys(email)
  const choice = await send('PUT', '/api/session/developer/mails', {
    keys: false,
    limits: false,
    deprecations: false,
    expiry: false,
  })
  t.match(choice, { status: 400, body: { errors: [{ path: '/keys' }] } })
  await send('PUT', '/api/session/developer/mails', {
    limits: false,
    deprecations: false,
    expiry: false,
  })
  await issue('first')
  const mail = await awaitMail(dataDir, { kind: 'key-issued', to: email })
  t.notOk(mail.headers.has('list-unsubscribe'))
  t.notMatch(mail.text, 'opt-out')
})

t.test(
  'the link of a mail ends that kind of mail, again and again, without a session',
  async (t) => {
    const email = 'optout@example.com'
    const { wants, developer } = await developerWithKeys(email)
    const token = optOuts.sign({ developerId: developer.id, mail: 'limits' })
    const facts = await portal.anonymous('POST', '/api/mail-opt-outs/lookup', { token })
    t.match(facts, { status: 200, body: { mail: 'limits', address: 'o…@example.com' } })
    t.notMatch(
      JSON.stringify(facts.body),
      'optout@',
      'who was forwarded the email learns no address',
    )
    t.same(await wants(), { mails_limits: true, mails_deprecations: true }, 'nothing changed yet')
    for (let time = 0; time < 2; time++) {
      const { status } = await portal.anonymous('POST', '/api/mail-opt-outs', { token })
      t.equal(status, 204)
      t.same(await wants(), { mails_limits: false, mails_deprecations: true })
    }
    const [entry] = await portal.stores.audit.list({
      subject: `developer:${developer.id}`,
      limit: 1,
    })
    t.match(entry?.detail, { limits: 'false' })
    await portal.stores.developers.delete({ id: developer.id, by: 'test' })
    t.equal(
      (await portal.anonymous('POST', '/api/mail-opt-outs', { token })).status,
      204,
      'gone is gone',
    )
    t.match(await portal.anonymous('POST', '/api/mail-opt-outs/lookup', { token }), {
      status: 400,
      body: { code: 'LINK_INVALID' },
    })
  },
)

t.test('forged tokens change nothing', async (t) => {
  const { wants, developer } = await developerWithKeys('forged@example.com')
  const token = optOuts.sign({ developerId: developer.id, mail: 'limits' })
  const bytes = Buffer.from(token, 'base64url')
  bytes[16] = 2
  const anotherKind = bytes.toString('base64url')
  for (const forged of [anotherKind, token.slice(1), `${token}A`, 'x', 'T'.repeat(43)]) {
    for (const path of ['/api/mail-opt-outs', '/api/mail-opt-outs/lookup']) {
      const { status, body } = await portal.anonymous('POST', path, { token: forged })
      t.match({ status, body }, { status: 400, body: { code: 'LINK_INVALID' } })
    }
    const byForm = await postForm(
      `/api/mail-opt-outs/${forged}`,
      form,
      'List-Unsubscribe=One-Click',
    )
    t.equal(byForm.status, 400)
  }
  for (const body of [{}, { token: 1 }, { token, more: 1 }, { token: '' }]) {
    t.match(await portal.anonymous('POST', '/api/mail-opt-outs', body), {
      status: 400,
      body: { code: 'INPUT_INVALID' },
    })
  }
  t.same(await wants(), { mails_limits: true, mails_deprecations: true })
})

t.test('the one-click form of RFC 8058 is taken on its own path, and nothing but it', async (t) => {
  const { wants, developer } = await developerWithKeys('oneclick@example.com')
  const token = optOuts.sign({ developerId: developer.id, mail: 'limits' })
  const path = `/api/mail-opt-outs/${token}`

  for (const [type, body] of [
    [form, ''],
    [form, 'List-Unsubscribe=One-Click&more=1'],
    [form, 'list-unsubscribe=yes'],
    ['application/json', JSON.stringify({ token })],
    ['text/plain', 'List-Unsubscribe=One-Click'],
    ['multipart/form-data; boundary=b', '--b\r\n\r\nOne-Click\r\n--b--\r\n'],
    [form, 'a'.repeat(2000)],
  ] as const) {
    const answer = await postForm(path, type, body)
    t.ok(answer.status === 400 || answer.status === 413, `${answer.status} for ${type}`)
  }
  const elsewhere = await postForm('/api/mail-opt-outs', form, `token=${token}`)
  t.equal(elsewhere.status, 400, 'no form on the path of the page')
  const crossSite = await postForm(path, form, 'List-Unsubscribe=One-Click', {
    origin: 'https://evil.example',
  })
  t.equal(crossSite.status, 403, 'no page of another site')
  const opened = await fetch(`${urls.portal}${path}`, { redirect: 'manual' })
  t.match(
    [opened.status, opened.headers.get('location')],
    [303, `${urls.portal}/mails/opt-out#token=${token}`],
  )
  t.same((await wants()).mails_limits, true, 'nothing changed so far')

  t.equal((await postForm(path, form, 'List-Unsubscribe=One-Click')).status, 204)
  t.same(await wants(), { mails_limits: false, mails_deprecations: true })
  await portal.db.updateTable('developers').set({ mails_limits: true }).execute()
  const parts = new FormData()
  parts.set('List-Unsubscribe', 'One-Click')
  const multipart = await fetch(`${urls.portal}${path}`, { method: 'POST', body: parts })
  t.equal(multipart.status, 204)
  t.same((await wants()).mails_limits, false)
})

t.test('results are counted for the operator', async () => {
  await until('four mails are counted as delivered', async () => {
    const metrics = await metricsOf(urls.management)
    return Number(/portal_mails_total\{result="delivered"\} (\d+)/.exec(metrics)?.[1]) >= 4
  })
})
