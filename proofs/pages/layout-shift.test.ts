import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import {
  applicationTabs,
  operationFragment,
  operatorSections,
} from '../../src/portal/pages/page-paths.ts'
import { chromiumMissing, evaluate, startBrowser } from '../../test/support/browser.ts'
import { portalWorlds } from '../../test/support/portal-world.ts'
import { figure } from '../figure.ts'

/** The sum of what a page moves of what is shown, as browsers score it (Cumulative Layout Shift). */
const shiftMax = 0.05
/** How late each answer of the portal arrives. */
const lateMs = 300

/** Adds up the shifts, and notes which elements moved. */
const observe = `
window.shifts = { sum: 0, moved: [] }
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue
    window.shifts.sum += value
    for (const { node, previousRect, currentRect } of sources) {
      const name = node?.nodeType === 1 ? node.tagName + ' ' + node.textContent.slice(0, 40) : '?'
      window.shifts.moved.push(value.toFixed(3) + ' ' + name + ' ' + previousRect.y + ' > ' + currentRect.y)
    }
  }
}).observe({ type: 'layout-shift', buffered: true })`

const worldOf = portalWorlds(t, { calls: 100, window: 'PT1H' })

t.test(
  'while answers arrive late, the reference and the pages of applications, operators and visitors move by 0.05 at most',
  { skip: chromiumMissing(), timeout: 480_000 },
  async (t) => {
    const { tollgate, viewers, applications } = await worldOf({})
    const { portal: portalUrl, gateway: gatewayUrl } = tollgate.urls
    const { developer, operator } = viewers
    const version = '/apis/xs2a/1.7.0'
    const reference = [version, `${version}${operationFragment('Accounts', 'listAccounts')}`]
    const pages = [
      ...['/', ...reference, '/guides', '/guides/first-call', '/sandbox', '/sign-up'].map(
        (path) => ({
          path,
          viewer: undefined,
        }),
      ),
      ...['', ...applicationTabs.map((tab) => `/${applications.busy}/${tab}`)].map((rest) => ({
        path: `/applications${rest}`,
        viewer: developer,
      })),
      { path: '/profile', viewer: developer },
      ...operatorSections.map((section) => ({ path: `/operator/${section}`, viewer: operator })),
    ]
    const browser = await startBrowser()
    let most = 0
    for (const { path, viewer } of pages) {
      await browser.visit(t, { portalUrl, gatewayUrl }, async ({ page }) => {
        if (viewer !== undefined) {
          await page
            .context()
            .addCookies([{ ...viewer.cookie, url: portalUrl, httpOnly: true, sameSite: 'Lax' }])
        }
        await page.addInitScript(observe)
        await page.route('**/api/**', async (route) => {
          await delay(lateMs)
          await route.continue()
        })
        await page.goto(`${portalUrl}${path}`)
        await page.locator('h1').waitFor()
        await page.waitForLoadState('networkidle')
        const { sum, moved } = await evaluate<{ sum: number; moved: string[] }>(
          page,
          'window.shifts',
        )
        most = Math.max(most, sum)
        t.ok(sum <= shiftMax, `${path}: ${sum.toFixed(3)}; ${moved.join('; ')}`)
      })
    }
    figure(`at most ${most.toFixed(3)}`)
  },
)
