import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { awaitMail } from '../support/mails.ts'
import { createPortalClient, mailedToken, signUpAndIn, testPassword } from '../support/portal.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate, testConfigDir } from '../support/tollgate.ts'

const svg = (fill: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><path fill="${fill}" d="M0 0h120v32H0z"/></svg>`

t.test('a brand is shown by the portal, the bank and emails', async (t) => {
  const configDir = testConfigDir(t)
  const write = (name: string, content: string) => writeFileSync(join(configDir, name), content)
  write('logo.svg', svg('#1d4ed8'))
  write('dark.svg', svg('#fff'))
  write(
    'brand.yaml',
    `name: { en: Sons & Daughters Bank, he: בנק לדוגמה }
logo: { light: logo.svg, dark: dark.svg }
accent: "#1d4ed8"
support: mailto:apis@bank.example
privacy: { en: https://bank.example/privacy, he: https://bank.example/he/privacy }
`,
  )
  const tollgate = await runTollgate(t, { env: { CONFIG_DIR: configDir } })
  const { portal, sca } = tollgate.urls
  const client = createPortalClient(portal)
  const html = { headers: { accept: 'text/html' } }
  const hebrew = { headers: { accept: 'text/html', 'accept-language': 'he' } }
  const facts = async (headers = {}) => (await client.get('/api/portal', { headers })).body.brand
  const brand = await facts()

  await t.test('the facts of the page have it in the language of the request', async (t) => {
    t.match(brand, {
      name: 'Sons & Daughters Bank',
      logo: { light: { width: 120, height: 32 } },
      support: 'mailto:apis@bank.example',
      privacy: 'https://bank.example/privacy',
      terms: null,
      imprint: null,
    })
    t.equal(brand.accent[7], '#1d4ed8')
    t.match(await facts(hebrew.headers), {
      name: 'בנק לדוגמה',
      privacy: 'https://bank.example/he/privacy',
    })
  })

  await t.test('authenticator apps show it in the language of the request', async (t) => {
    const person = await signUpAndIn(tollgate, { email: 'app@dev.example', name: 'App' })
    const offer = async (headers = {}) =>
      (await person.post('/api/session/factors/totp', undefined, { headers })).body.uri
    t.match(decodeURIComponent(await offer()), 'issuer=Sons & Daughters Bank localhost&')
    t.match(decodeURIComponent(await offer({ 'accept-language': 'he' })), 'issuer=בנק לדוגמה ')
  })

  await t.test('every document has name, accent and icon before any script runs', async (t) => {
    for (const path of ['/', '/problems/', '/problems/KEY_MISSING', '/no-such-page']) {
      const { text, headers } = await client.get(path, html)
      t.match(text, /<title>[^<]*Sons &amp; Daughters Bank/, path)
      const [, nonce = ''] =
        /'nonce-([0-9a-f]+)'/.exec(
          headers['content-security-policy']?.split('style-src')[1] ?? '',
        ) ?? []
      t.ok(text.includes(`<style nonce="${nonce}">:root{--mantine-color-tide-0:`), path)
      t.ok(text.includes(`href="${brand.icon.url}"`), path)
      t.notMatch(text, />[^<]*Tollgate/, path)
    }
    t.match((await client.get('/', hebrew)).text, /<title>[^<]*בנק לדוגמה/)
  })

  await t.test('pictures come from the own origin, may be kept, and run nothing', async (t) => {
    for (const origin of [portal, sca]) {
      const other = createPortalClient(origin)
      for (const [use, digest] of Object.values<{ url: string }>(brand.logo)
        .concat(brand.icon)
        .map(({ url }) => url.split('/').slice(2))) {
        const { status, headers } = await other.get(`/brand/${use}/${digest}`)
        t.equal(status, 200)
        t.match(headers, {
          'content-type': 'image/svg+xml',
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        })
        const stale = await other.get(`/brand/${use}/0123456789abcdef`)
        t.equal(stale.status, 200, 'another process has written the page')
        t.equal(stale.headers['cache-control'], 'no-store')
      }
      t.equal((await other.get('/brand/other/0123456789abcdef')).status, 404)
    }
  })

  await t.test('the bank shows name, logo and accent, in its own policy', async (t) => {
    const page = await createPortalClient(sca).get('/')
    t.match(page.text, /<title>[^<]* – Sons &amp; Daughters Bank<\/title>/)
    t.ok(page.text.includes(`srcset="${brand.logo.dark.url}"`))
    t.ok(page.text.includes(`src="${brand.logo.light.url}" alt="Sons &amp; Daughters Bank"`))
    t.match(page.headers['content-security-policy'], /img-src 'self'/)
    const [, style = ''] = /href="(\/style\.css\?v=\w+)"/.exec(page.text) ?? []
    t.match((await createPortalClient(sca).get(style)).text, /--accent: #1d4ed8; --on-accent: #fff/)
  })

  await t.test(
    'a mail has its name as sender, one button and the address for questions',
    async (t) => {
      const to = 'ada@dev.example'
      t.equal((await client.post('/api/developers', { email: to, name: 'Ada' })).status, 202)
      const mail = await awaitMail(tollgate.dataDir, { kind: 'sign-up', to })
      t.match(mail.headers.get('from'), /^"?Sons & Daughters Bank"? </)
      t.match(mail.text, 'Sons & Daughters Bank')
      t.match(mail.text, 'Questions? Write to apis@bank.example')
      t.equal(mail.html.match(/<a [^>]*background-color: #1d4ed8/g)?.length, 1)
      t.match(mail.html, 'Sons &amp; Daughters Bank')
      t.notMatch(mail.html, '#085965', 'links have its colour too')
    },
  )

  await t.test('terms are accepted at sign-up and again when they change', async (t) => {
    const terms = (version: string) =>
      write('brand.yaml', `terms: { version: "${version}", url: https://bank.example/terms }\n`)
    terms('2026-11')
    t.equal(await tollgate.reload(), true)
    t.match(await facts(), { terms: { version: '2026-11', url: 'https://bank.example/terms' } })
    const person = { email: 'eve@dev.example', name: 'Eve' }
    const stranger = createPortalClient(tollgate.urls.portal)
    t.equal((await stranger.post('/api/developers', person)).status, 202, 'a stranger may ask')
    const token = await mailedToken(tollgate.dataDir, 'sign-up', person.email)
    const eve = createPortalClient(tollgate.urls.portal)
    const verify = (acceptedTerms?: unknown) =>
      eve.post('/api/developers/verify', { token, password: testPassword, acceptedTerms })
    for (const acceptedTerms of [undefined, '2025-01', true]) {
      const answer = await verify(acceptedTerms)
      t.match(answer, { status: 400, body: { errors: [{ path: '/acceptedTerms' }] } })
    }
    const beside = await besidePortal(t, tollgate)
    const asked = await beside.db
      .updateTable('mail_tokens')
      .set({ created_at: sql`created_at - interval '1 hour'` })
      .where('email', '=', person.email)
      .returning('created_at')
      .executeTakeFirstOrThrow()
    t.equal((await verify('2026-11')).status, 204, 'the owner of the mailbox accepts')
    const session = async () => (await eve.get('/api/session')).body.developer
    const { id, acceptedTerms } = await session()
    t.match(acceptedTerms, { version: '2026-11', acceptedAt: /Z$/ })
    const hour = 3_600_000
    t.ok(
      Date.parse(acceptedTerms.acceptedAt) >= asked.created_at.getTime() + hour,
      'the time is that of the click, not of the request',
    )

    write(
      'terms.md',
      '# Terms of use\n\nBe fair.\n\n## Limits <script>x</script>\n\n[No](javascript:x)\n',
    )
    write('brand.yaml', 'terms: { version: "2026-12", file: terms.md }\n')
    await tollgate.reload()
    t.match(await facts(), { terms: { version: '2026-12', url: '/terms' } })
    const page = await client.get('/terms', html)
    t.match(page, {
      status: 200,
      text: /<h1>Terms of use<\/h1>[\s\S]*Version 2026-12[\s\S]*Be fair/,
    })
    t.notMatch(page.text, /<script>|javascript:/)

    const accept = (version: string) => eve.put('/api/session/developer/terms', { version })
    terms('2027-01')
    await tollgate.reload()
    t.equal((await session()).acceptedTerms.version, '2026-11', 'the session goes on')
    const late = await accept('2026-11')
    t.match(late, { status: 409, body: { rule: 'terms-outdated' } })
    t.match(await accept('2027-01'), { body: { acceptedTerms: { version: '2027-01' } } })
    t.equal((await accept('2027-01')).status, 200, 'once more changes nothing')
    const operator = await beside.signIn({ isOperator: true })
    t.match((await operator.send('GET', `/api/operator/developers/${id}`)).body, {
      acceptedTermsVersion: '2027-01',
      acceptedTermsAt: /Z$/,
    })
    t.match(
      (await operator.send('GET', '/api/operator/developers?search=eve@dev.example')).body.items,
      [{ id, acceptedTermsVersion: '2027-01' }],
    )
    const { stores } = beside
    const entries = await stores.audit.list({ subject: `developer:${id}`, limit: 10 })
    t.match(
      entries.filter(({ action }) => /terms|sign-up/.test(action)),
      [
        { action: 'developer.accept-terms', detail: { version: '2027-01' } },
        { action: 'developer.sign-up', detail: { terms: '2026-11' } },
      ],
    )
  })

  await t.test('a reload changes it everywhere; a faulty one changes nothing', async (t) => {
    const before = await facts()
    write('brand.yaml', 'name: Other Bank\naccent: "#ffcc00"\n')
    t.equal(await tollgate.reload(), false)
    t.same(await facts(), before)
    write('brand.yaml', 'name: Other Bank\n')
    t.equal(await tollgate.reload(), true)
    t.match(await facts(), { name: 'Other Bank', logo: null, accent: null, icon: {} })
    t.match((await client.get('/', html)).text, '<title>Other Bank')
    t.match((await createPortalClient(sca).get('/')).text, ' – Other Bank</title>')
    write('brand.yaml', '# nothing\n')
    t.equal(await tollgate.reload(), true)
    t.match(await facts(), { name: 'Tollgate', icon: null })
    t.match((await createPortalClient(sca).get('/')).text, ' – Sandbox Bank</title>')
  })
})
