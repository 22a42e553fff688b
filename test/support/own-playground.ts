import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { startBrowser } from './browser.ts'
import { ownApis } from './own-apis.ts'
import { besidePortal } from './portal-client.ts'
import { runTollgate } from './tollgate.ts'

/**
 * Runs Tollgate with one API, `own` 1, which has no backend, and an application
 * that may call it.
 *
 * @param document its OpenAPI document
 * @returns `visit` opens an empty page where the application's developer is signed in
 */
export async function startOwnPlayground(t: Test, document: object) {
  const tollgate = await runTollgate(t, {
    env: { CONFIG_DIR: ownApis(t, { 'own/1.json': document }), BACKEND_URL: 'http://127.0.0.1:9' },
  })
  const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
  const owner = await (await besidePortal(t, tollgate)).signIn()
  const { body: application } = await owner.send('POST', '/api/applications', { name: 'Own' })
  const path = `/api/applications/${application.id}`
  await owner.send('POST', `${path}/subscriptions`, { api: 'own', version: '1', plan: 'default' })
  const browser = await startBrowser()
  return {
    gatewayUrl,
    /** The playground of an operation. */
    urlOf: (operation: string) =>
      `${portalUrl}/applications/${application.id}/playground?operation=${operation}`,
    visit: (t: Test, use: (page: Page) => Promise<void>) =>
      browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
        const cookie = { ...owner.cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' as const }
        await page.context().addCookies([cookie])
        await use(page)
      }),
  }
}
