import { sql } from 'kysely'
import type { CDPSession, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import { chromiumMissing, startBrowser, type VisitOptions } from '../../test/support/browser.ts'
import { createPortalClient, signUpAndIn, testPassword } from '../../test/support/portal.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { appCode } from '../../test/support/second-factor.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

/** A virtual security key in the browser, which needs no user (WebDriver, WebAuthn 11). */
async function virtualAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return session
}

t.test('in a browser', { skip: chromiumMissing(), timeout: 300_000 }, async (t) => {
  const tollgate = await runTollgate(t)
  const portalUrl = tollgate.urls.portal
  const beside = await besidePortal(t, tollgate)
  const { db, stores } = beside
  const browser = await startBrowser()
  const options: VisitOptions = { portalUrl, gatewayUrl: tollgate.urls.gateway }

  const isAccessible = async (t: Test, page: Page, what: string) =>
    t.same(await accessibilityViolations(page), [], what)

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name, exact: true })

  async function enterPassword(page: Page, email: string): Promise<void> {
    await page.goto(`${portalUrl}/sign-in`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(testPassword)
    await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
  }

  async function storeCodes(page: Page): Promise<string[]> {
    const shown = page.getByRole('region', { name: 'recovery codes' })
    const codes = (await shown.innerText()).split('\n')
    await button(page, 'I have stored them').click()
    return codes
  }

  async function signOut(page: Page, name: string): Promise<void> {
    await button(page, `Account of ${name}`).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  }

  const age = async (email: string) => {
    const { id } = (await stores.developers.findByEmail(email)) ?? {}
    await db
      .updateTable('sessions')
      .set({ proved_at: sql`now() - interval '11 minutes'` })
      .where('developer_id', '=', id ?? '')
      .execute()
  }

  await t.test('a passkey is added, signs in, and proves who is there', async (t) => {
    const email = 'passkey@example.com'
    await signUpAndIn(tollgate, { email, name: 'Pat Key' })
    await browser.visit(t, options, async ({ page, expectAnswers }) => {
      expectAnswers('403 /api/session/factors/recovery-codes')
      const authenticator = await virtualAuthenticator(page)
      await enterPassword(page, email)
      await page.getByRole('heading', { name: 'Applications' }).waitFor()
      await page.goto(`${portalUrl}/profile`)
      await button(page, 'Add a passkey').click()
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Work laptop')
      await button(page, 'Continue').click()
      await button(page, 'I have stored them').waitFor()
      await isAccessible(t, page, 'recovery codes')
      const codes = await storeCodes(page)
      t.equal(codes.length, 10)
      await page.getByText('Work laptop', { exact: true }).waitFor()
      await signOut(page, 'Pat Key')

      await enterPassword(page, email)
      await page.getByRole('heading', { name: 'Second factor' }).waitFor()
      await isAccessible(t, page, 'second step of the sign-in')
      await button(page, 'Use a passkey').click()
      await page.getByRole('heading', { name: 'Applications' }).waitFor()

      await age(email)
      await page.goto(`${portalUrl}/profile`)
      await button(page, 'Replace').click()
      await button(page, 'Replace codes').click()
      await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
      await button(page, 'Use a passkey').click()
      const replaced = await storeCodes(page)
      t.notOk(replaced.some((code) => codes.includes(code)))
      await authenticator.detach()
    })
    const { passkeys } = await stores.factors.find(
      (await stores.developers.findByEmail(email))?.id ?? '',
    )
    t.match(passkeys, [{ name: 'Work laptop', transports: ['internal'], lastUsedAt: Date }])
    t.ok(Number(passkeys[0]?.counter) >= 3, 'each signature counts')
  })

  await t.test('without the passkey a recovery code signs in', async (t) => {
    const email = 'passkey@example.com'
    const developerId = (await stores.developers.findByEmail(email))?.id ?? ''
    const { createRecoveryCodes } = await import('../../src/portal/accounts/recovery-codes.ts')
    const { codes, hashes } = createRecoveryCodes()
    await stores.factors.replaceRecoveryCodes({
      developerId,
      recoveryHashes: hashes,
      at: new Date(),
      outbox: { post: async () => undefined },
    })
    await browser.visit(t, options, async ({ page, expectAnswers }) => {
      expectAnswers('401 /api/session/factor')
      await enterPassword(page, email)
      await button(page, 'Use a recovery code instead').click()
      await page.getByLabel('Recovery code').fill('0000-0000-0000-0000')
      await button(page, 'Sign in').click()
      await page.locator('[aria-invalid="true"]').waitFor()
      await page.getByLabel('Recovery code').fill(codes[0] ?? '')
      await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Applications' }).waitFor()
    })
  })

  await t.test('a signature of another challenge or site is refused', async (t) => {
    const email = 'passkey@example.com'
    await browser.visit(t, options, async ({ page }) => {
      await virtualAuthenticator(page)
      await page.goto(portalUrl)
      const client = createPortalClient(portalUrl)
      const owner = (await stores.developers.findByEmail(email))?.id ?? ''
      await stores.factors.reset({ developerId: owner, by: 'test' })
      const signedIn = await client.post('/api/session', { email, password: testPassword })
      t.equal(signedIn.status, 200)
      const offer = (await client.post('/api/session/factors/passkeys')).body
      const made = await page.evaluate(
        `navigator.credentials.create({ publicKey: PublicKeyCredential
          .parseCreationOptionsFromJSON(${JSON.stringify(offer.passkey)}) }).then((made) => made.toJSON())`,
      )
      const confirm = (token: string, passkey: unknown) =>
        client.post('/api/session/factors/passkeys/confirm', { token, name: 'Key', passkey })
      const other = (await client.post('/api/session/factors/passkeys')).body
      t.equal((await confirm(other.token, made)).status, 401, 'made for another challenge')
      t.equal((await confirm(offer.token, { id: 'x', response: {} })).status, 401)
      t.equal((await confirm(offer.token, made)).status, 200)
      t.equal((await confirm(offer.token, made)).status, 400, 'once')

      const challenge = async () =>
        (await client.post('/api/session', { email, password: testPassword })).body
      const sign = (request: unknown) =>
        page.evaluate<{ id: string; response: { clientDataJSON: string } }>(
          `navigator.credentials.get({ publicKey: PublicKeyCredential
            .parseRequestOptionsFromJSON(${JSON.stringify(request)}) }).then((got) => got.toJSON())`,
        )
      const [first, second] = [await challenge(), await challenge()]
      const signed = await sign(first.passkey)
      const finish = (token: string, passkey: unknown) =>
        client.post('/api/session/factor', { token, passkey })
      t.equal((await finish(second.token, signed)).status, 401, 'signed for another challenge')
      const data = JSON.parse(
        Buffer.from(signed.response.clientDataJSON, 'base64url').toString('utf8'),
      )
      const clientDataJSON = Buffer.from(
        JSON.stringify({ ...data, origin: 'http://evil.example' }),
      ).toString('base64url')
      const moved = { ...signed, response: { ...signed.response, clientDataJSON } }
      t.equal((await finish(first.token, moved)).status, 401, 'from another site')
      t.equal((await finish(first.token, { ...signed, id: 'AAAA' })).status, 401)
      t.equal((await finish(first.token, signed)).status, 200)
      t.equal((await finish(first.token, signed)).status, 400, 'once')
    })
  })

  await t.test('an operator sets up the account by the link of the command', async (t) => {
    const email = 'olga@bank.example'
    const { id } = await stores.developers.create({ email, name: 'Olga Navon', by: 'test' })
    await stores.operators.add({ id, by: 'test' })
    const token = await stores.factors.issueEnrolment({ developerId: id, by: 'test' })
    await browser.visit(t, options, async ({ page, expectAnswers }) => {
      expectAnswers('400 /api/enrolments')
      await page.goto(`${portalUrl}/enrol#token=${token}`)
      await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
      t.equal(new URL(page.url()).hash, '', 'the address no longer holds the token')
      await page.getByLabel('New password', { exact: true }).fill(testPassword)
      const shown = await page.getByRole('region', { name: 'key' }).innerText()
      await page.getByLabel('Code', { exact: true }).fill(appCode(shown.replaceAll(' ', '')))
      await button(page, 'Finish').click()
      await page.getByRole('heading', { name: 'Store your recovery codes' }).waitFor()
      await storeCodes(page)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      await page.goto(`${portalUrl}/enrol#token=${token}`)
      await page.getByText('was already used or has expired').waitFor()
    })
  })

  await t.test(
    'a change that needs a proof goes on after it; declined, nothing happens',
    async (t) => {
      const email = 'proof@example.com'
      const client = await signUpAndIn(tollgate, { email, name: 'Pia Proof' })
      const { body } = await client.post('/api/applications', { name: 'Proven' })
      await browser.visit(t, options, async ({ page, expectAnswers }) => {
        expectAnswers(`403 /api/applications/${body.id}/keys`, '401 /api/session/proof')
        await enterPassword(page, email)
        await page.getByRole('heading', { name: 'Applications' }).waitFor()
        await age(email)
        await page.goto(`${portalUrl}/applications/${body.id}/keys`)
        const createKey = async () => {
          await button(page, 'Create key').first().click()
          await page.getByRole('textbox', { name: 'Name' }).fill('Proven')
          await page.locator('form').getByRole('button', { name: 'Create key' }).click()
          await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
        }
        await createKey()
        await page.keyboard.press('Escape')
        await page.getByRole('alert').getByText('Confirm that it is you').first().waitFor()
        t.same(await stores.keys.list({ applicationId: body.id }), [])
        await page.locator('form').getByRole('button', { name: 'Create key' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: 'Confirm' }).waitFor()
        await isAccessible(t, page, 'the question for a proof')
        await dialog.getByLabel('Password', { exact: true }).fill('not the password')
        await dialog.getByRole('button', { name: 'Confirm' }).click()
        await dialog.locator('[aria-invalid="true"]').waitFor()
        await dialog.getByLabel('Password', { exact: true }).fill(testPassword)
        await dialog.getByRole('button', { name: 'Confirm' }).click()
        await page.getByRole('heading', { name: 'New key: Proven' }).waitFor()
      })
    },
  )

  await t.test('a session is ended from the list', async (t) => {
    const email = 'sessions@example.com'
    const other = await signUpAndIn(tollgate, { email, name: 'Sam' })
    await browser.visit(t, options, async ({ page }) => {
      await enterPassword(page, email)
      await page.getByRole('heading', { name: 'Applications' }).waitFor()
      await page.goto(`${portalUrl}/profile`)
      const list = page.getByRole('list', { name: 'Your sessions' })
      await list.getByText('Chrome on Linux').waitFor()
      await list.getByText('This browser').waitFor()
      await list.getByRole('button').click()
      await list.getByRole('button').waitFor({ state: 'detached' })
    })
    t.equal((await other.get('/api/session')).status, 401)
  })
})

t.test(
  'on an IP address the page says why it offers no passkeys',
  { skip: chromiumMissing() },
  async (t) => {
    const tollgate = await runTollgate(t, { env: { PORTAL_HOST: '127.0.0.1' } })
    const { portal: portalUrl } = tollgate.urls
    const { cookie } = await (await besidePortal(t, tollgate)).signIn()
    const browser = await startBrowser()
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await page.context().addCookies([{ ...cookie, url: portalUrl, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}/profile`)
      await page.getByText('the address of this portal is an IP address').waitFor()
      t.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0)
    })
  },
)
