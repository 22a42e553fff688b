import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test(
  'without a sandbox the page promises no customers of one',
  { skip: chromiumMissing() },
  async (t) => {
    const tollgate = await runTollgate(t, { env: { SANDBOX: 'off' } })
    const portalUrl = tollgate.urls.portal
    const { send, cookie } = await (await besidePortal(t, tollgate)).signIn()
    const { body: application } = await send('POST', '/api/applications', { name: 'Real' })
    const path = `/applications/${application.id}`
    const version = { api: 'xs2a', version: '1.7.0', plan: 'default' }
    await send('POST', `/api${path}/subscriptions`, version)
    const browser = await startBrowser()
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await page
        .context()
        .addCookies([{ ...cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}${path}/keys`)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('region', { name: 'code of the call, curl' }).waitFor()
      t.notMatch(await page.getByRole('main').innerText(), /Noa|Get started|sandbox/i)
    })
  },
)
