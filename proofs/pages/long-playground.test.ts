import t from 'tap'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { chooseOperation } from '../../test/support/choose-operation.ts'
import { longDocument } from '../../test/support/long-document.ts'
import { ownApis } from '../../test/support/own-apis.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'

t.test('Long playground', { skip: chromiumMissing(), timeout: 240_000 }, async (t) => {
  const document = longDocument({ operations: 900, basePath: '/v1' })
  const tollgate = await runTollgate(t, {
    env: { CONFIG_DIR: ownApis(t, { 'long/1.json': document }), BACKEND_URL: 'http://127.0.0.1:9' },
  })
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const owner = await (await besidePortal(t, tollgate)).signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Long' })
  const path = `/api/applications/${application.id}`
  await owner.send('POST', `${path}/subscriptions`, { api: 'long', version: '1', plan: 'default' })
  const browser = await startBrowser()

  await t.test('of 900 operations, only the chosen ones are asked for', async (t) => {
    await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
      const asked: string[] = []
      page.on('request', (request) => {
        const [, part] = /\/api\/apis\/long\/1\/(.*)$/.exec(request.url()) ?? []
        if (part !== undefined) asked.push(part)
      })
      await page
        .context()
        .addCookies([{ ...owner.cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
      await page.goto(
        `${portalUrl}/applications/${application.id}/playground?operation=readResource7`,
      )
      await page.getByText(`${gatewayUrl}/v1/resources7/`).first().waitFor()
      await chooseOperation(page, 'createResource7')
      await page.getByRole('textbox', { name: 'Body (application/json)' }).waitFor()
      t.same(asked, ['operations/readResource7', 'operations/createResource7'])
    })
  })
})
