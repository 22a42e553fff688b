import t from 'tap'
import { chromiumMissing, startBrowser } from '../support/browser.ts'
import { ownApis, ownDocument } from '../support/own-apis.ts'
import { besidePortal } from '../support/portal-client.ts'
import { runTollgate } from '../support/tollgate.ts'

t.test(
  'without a bank, no page for developers speaks of one',
  { skip: chromiumMissing() },
  async (t) => {
    const CONFIG_DIR = ownApis(t, { 'things/1.json': ownDocument(['GET /things']) })
    const env = { CONFIG_DIR, BACKEND_URL: 'http://127.0.0.1:9' }
    const tollgate = await runTollgate(t, { env })
    const { portal: portalUrl } = tollgate.urls
    const { send, cookie } = await (await besidePortal(t, tollgate)).signIn()
    const { id } = (await send('POST', '/api/applications', { name: 'Petshop' })).body
    const browser = await startBrowser()
    await browser.visit(t, { portalUrl }, async ({ page }) => {
      await page.context().addCookies([{ ...cookie, url: portalUrl }])
      for (const path of ['/', `/applications/${id}`, `/applications/${id}/settings`, '/profile']) {
        await page.goto(portalUrl + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        const opens = page.getByRole('button', { name: /^Delete (application|account) …$/ })
        if (/settings|profile/.test(path)) {
          await opens.click()
          await page.getByRole('dialog').getByRole('textbox').first().waitFor()
        }
        t.notMatch(await page.locator('body').innerText(), /\bbank|consent|TPP-/i, path)
      }
    })
  },
)
