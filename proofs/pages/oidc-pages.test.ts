import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { accessibilityViolations } from '../../test/support/accessibility.ts'
import {
  chromiumMissing,
  horizontalOverflow,
  showAs,
  startBrowser,
} from '../../test/support/browser.ts'
import { freePort } from '../../test/support/free-port.ts'
import {
  passProvider,
  providerBrowser,
  testClient,
  testProvider,
} from '../../test/support/openid-provider.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate, testConfigDir } from '../../test/support/tollgate.ts'

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280, dir: 'ltr' },
  { name: 'dark', colorScheme: 'dark', width: 1280, dir: 'ltr' },
  { name: 'phone', colorScheme: 'light', width: 390, dir: 'ltr' },
  { name: 'rtl', colorScheme: 'light', width: 390, dir: 'rtl' },
] as const

/** Looks at a page as it stands, in every look. With SCREENSHOTS=<folder> it also takes pictures. */
async function looksRight(t: Test, page: Page, what: string): Promise<void> {
  for (const { name, dir, ...look } of looks) {
    await page.evaluate(`document.documentElement.dir = '${dir}'`)
    await showAs(page, look)
    t.same(await accessibilityViolations(page), [], `${what}, ${name}`)
    t.equal(await horizontalOverflow(page), 0, `${what}, ${name}: nothing to scroll sideways`)
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${what}-${name}.png` })
  }
  await page.evaluate(`document.documentElement.dir = 'ltr'`)
  await showAs(page, looks[0])
}

t.test('in a browser', { skip: chromiumMissing(), timeout: 300_000 }, async (t) => {
  const port = await freePort()
  const portalUrl = `http://localhost:${port}`
  const provider = await testProvider(t, portalUrl)
  const configDir = testConfigDir(t)
  const terms = 'terms: { version: "2026-11", url: https://bank.example/terms }\n'
  writeFileSync(join(configDir, 'brand.yaml'), terms)
  const tollgate = await runTollgate(t, {
    env: {
      CONFIG_DIR: configDir,
      PORTAL_PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: testClient.id,
      OIDC_CLIENT_SECRET: testClient.secret,
      OIDC_LABEL: 'Bank login',
    },
  })
  const { db, stores } = await besidePortal(t, tollgate)
  const browser = await startBrowser()
  const email = 'dana.levi@bank.example'
  provider.people.set('dana', { email, isVerified: true, name: 'Dana Levi', groups: [] })

  await t.test('people sign in, confirm a change and sign in again at the provider', async (t) => {
    await browser.visit(
      t,
      { portalUrl, gatewayUrl: provider.issuer },
      async ({ page, expectAnswers }) => {
        expectAnswers('403 /api/session/developer', '403 /oidc/callback')
        const there = providerBrowser(provider)
        let login: string | undefined = 'dana'
        // The provider's own page is not ours to look at, and loads a font from elsewhere.
        await page.route(`${provider.issuer}/**`, async (route) => {
          const back = `${portalUrl}${await passProvider(there, route.request().url(), login)}`
          const url = back.replaceAll('&', '&amp;')
          await route.fulfill({
            contentType: 'text/html',
            body: `<title>Bank</title><meta http-equiv="refresh" content="0;url=${url}">`,
          })
        })

        await page.goto(`${portalUrl}/sign-in`)
        await page.getByRole('button', { name: 'Sign in with Bank login' }).waitFor()
        await looksRight(t, page, 'sign-in')
        await page.getByRole('button', { name: 'Sign in with Bank login' }).click()
        await page.getByRole('heading', { name: 'Terms' }).waitFor()
        await looksRight(t, page, 'terms')
        await page.getByRole('button', { name: 'Accept the terms' }).click()
        await page.getByRole('heading', { name: 'Applications' }).waitFor()
        const accepted = await db.selectFrom('accepted_terms').select('version').execute()
        t.same(accepted, [{ version: '2026-11' }], 'the first sign-in asked for the terms')

        await page.goto(`${portalUrl}/profile`)
        await page.getByText('You sign in with Bank login.').waitFor()
        await page.getByText('Chrome').first().waitFor()
        await looksRight(t, page, 'profile')
        t.equal(await page.getByLabel('Current password').count(), 0)

        const { id = '' } = (await stores.developers.findByEmail(email)) ?? {}
        await db
          .updateTable('sessions')
          .set({ proved_at: sql`now() - interval '11 minutes'` })
          .where('developer_id', '=', id)
          .execute()
        await page.getByRole('button', { name: 'Delete account …' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox').fill(email)
        await dialog.getByRole('button', { name: 'Delete account' }).click()
        const again = page.getByRole('button', { name: 'Sign in again with Bank login' })
        await again.waitFor()
        await looksRight(t, page, 'confirm')
        login = undefined
        await again.click()
        await page.getByText('You cancelled the sign-in').waitFor()
        await looksRight(t, page, 'cancelled')

        login = 'dana'
        await page.goto(`${portalUrl}/profile`)
        await page.getByRole('button', { name: 'Delete account …' }).click()
        await dialog.getByRole('textbox').fill(email)
        await dialog.getByRole('button', { name: 'Delete account' }).click()
        await again.click()
        await page.waitForURL(`${portalUrl}/profile`)
        await page.getByRole('button', { name: 'Delete account …' }).click()
        await dialog.getByRole('textbox').fill(email)
        await dialog.getByRole('button', { name: 'Delete account' }).click()
        await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
      },
    )
    t.equal(await stores.developers.findByEmail(email), undefined)
  })
})
