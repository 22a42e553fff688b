import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { freePort } from '../../test/support/free-port.ts'
import { signUpAndIn, testPassword } from '../../test/support/portal.ts'
import { appCode } from '../../test/support/second-factor.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

const port = String(await freePort())
const portalUrl = `http://localhost:${port}`
const started = await runTollgate(t, {
  env: {
    TRUSTED_PROXIES: '127.0.0.1',
    SECOND_FACTOR: 'everyone',
    PORTAL_PORT: port,
    PORTAL_PUBLIC_URL: portalUrl,
  },
})
const tollgate = { ...started, urls: { ...started.urls, portal: portalUrl } }

t.test('the page leads to the profile first', { skip: chromiumMissing() }, async (t) => {
  const email = 'everyone-2@example.com'
  await signUpAndIn(tollgate, { email, name: 'Eve Ryone', from: '10.5.0.3' })
  const browser = await startBrowser()
  const options = { portalUrl, gatewayUrl: tollgate.urls.gateway }
  await browser.visit(t, options, async ({ page }) => {
    await page.goto(`${portalUrl}/sign-in`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(testPassword)
    await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('You need at least one to use this portal').waitFor()
    t.equal(new URL(page.url()).pathname, '/profile')
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    const shown = await page.getByRole('region', { name: 'key' }).innerText()
    await page.getByLabel('Code', { exact: true }).fill(appCode(shown.replaceAll(' ', '')))
    await page.getByRole('button', { name: 'Add the app', exact: true }).click()
    await page.getByRole('region', { name: 'recovery codes' }).waitFor()
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.goto(`${portalUrl}/applications`)
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
  })
})
