import type { Request } from 'playwright-core'
import t from 'tap'
import {
  applicationTabs,
  operatorSections,
  versionTabs,
} from '../../src/portal/pages/page-paths.ts'
import { chromiumMissing, startBrowser } from '../../test/support/browser.ts'
import { besidePortal } from '../../test/support/portal-client.ts'
import { runTollgate } from '../../test/support/tollgate.ts'
import { figure } from '../figure.ts'

t.test(
  'a first visit of any page needs at most 25 requests',
  {
    skip: chromiumMissing(),
    timeout: 480_000,
  },
  async (t) => {
    const tollgate = await runTollgate(t)
    const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
    const owner = await (await besidePortal(t, tollgate)).signIn({ isOperator: true })
    const { body } = await owner.send('POST', '/api/applications', { name: 'Counted' })
    const paths = [
      '/',
      ...versionTabs.map((tab) => `/apis/xs2a/1.7.0/${tab}`),
      '/apis/xs2a/diff',
      '/guides',
      '/guides/first-call',
      '/sandbox',
      '/sign-up',
      '/reset',
      '/mailbox',
      '/applications',
      ...applicationTabs.map((tab) => `/applications/${body.id}/${tab}`),
      '/profile',
      ...operatorSections.map((section) => `/operator/${section}`),
      `/operator/applications/${body.id}`,
    ]
    let most = 0
    const browser = await startBrowser()
    const visit = await browser.openPage(t, { portalUrl, gatewayUrl })
    for (const path of paths) {
      await visit(t, async ({ page }) => {
        await page.context().addCookies([{ ...owner.cookie, url: portalUrl, httpOnly: true }])
        // Also files that the browser has kept.
        const loaded: string[] = []
        const note = (request: Request) => loaded.push(new URL(request.url()).pathname)
        page.on('request', note)
        const document = await (await page.goto(`${portalUrl}${path}`))?.text()
        await page.locator('h1').waitFor()
        await page.waitForLoadState('networkidle')
        page.off('request', note)
        t.ok(loaded.length <= 25, `${path}: ${loaded.length} requests`)
        most = Math.max(most, loaded.length)
        // The menu of the header comes once the page shows.
        const late = loaded.filter((file) => file.endsWith('.js') && !document?.includes(file))
        t.match(late, [/profile-menu/], `${path} names the scripts that it needs`)
      })
    }
    figure(`at most ${most} requests`)
  },
)
