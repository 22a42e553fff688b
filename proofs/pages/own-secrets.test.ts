import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { ownApis, ownDocument } from '../../test/support/own-apis.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('Secrets of an API', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const document = ownDocument(['GET /things', 'GET /others'], {
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  })
  const tollgate = await runTollgate(t, {
    env: { CONFIG_DIR: ownApis(t, { 'own/1.json': document }), BACKEND_URL: 'http://127.0.0.1:9' },
  })
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const owner = await (await besidePortal(t, tollgate)).signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Own' })
  const path = `/api/applications/${application.id}`
  await owner.send('POST', `${path}/subscriptions`, { api: 'own', version: '1', plan: 'default' })
  const browser = await startBrowser()

  await t.test('the next operation has the secret entered before, and none shows it', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      await page
        .context()
        .addCookies([{ ...owner.cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(`${portalUrl}/applications/${application.id}/playground?operation=get-things`)
      const field = page.getByRole('textbox', { name: /^Authorization/ })
      await field.fill('Bearer secret')
      t.equal(await field.getAttribute('type'), 'password')
      await chooseOperation(page, 'get-others')
      await page
        .getByText(/\/others$/)
        .first()
        .waitFor()
      t.equal(await field.inputValue(), 'Bearer secret')
    })
  })
})
