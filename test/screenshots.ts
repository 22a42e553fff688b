// `npm run screenshots` takes a picture of every page into pictures/, in light, dark and on a phone, and
// times the first page. With `-- --docs` it takes only the pictures that the documents show.
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { startBrowser, type VisitOptions } from './support/browser.ts'
import { openState, portalStates, showState } from './support/portal-states.ts'
import { startPortalWorld } from './support/portal-world.ts'

t.setTimeout(1_200_000)

const isForDocs = process.argv.includes('--docs')
const folder = join(import.meta.dirname, '..', isForDocs ? 'docs/pictures' : 'pictures')
const documented: readonly string[] = ['usage', 'accounts-read', 'sandbox']

/** Height of a picture in pixels. What lies below looks like what lies above. */
const heightMax = 2000

const looks = [
  { suffix: '', colorScheme: 'light', width: 1280 } as const,
  { suffix: '-dark', colorScheme: 'dark', width: 1280 } as const,
  { suffix: '-phone', colorScheme: 'light', width: 390 } as const,
].filter(({ suffix }) => !isForDocs || suffix !== '-phone')

const world = await startPortalWorld(t, { calls: 100, window: 'PT1H' })
const browser = await startBrowser()
const { portal: portalUrl, gateway: gatewayUrl } = world.tollgate.urls
const visit: VisitOptions = { portalUrl, gatewayUrl }

await t.test('how long the first page takes', async (t) => {
  const loads: FirstLoad[] = []
  for (let load = 0; load < 5; load += 1) {
    await browser.visit(t, visit, async ({ page }) => {
      loads.push(await firstLoad(page))
    })
  }
  for (const figure of ['firstPaintMs', 'completeMs', 'interactiveMs'] as const) {
    const [, , median] = loads.map((load) => load[figure]).toSorted((a, b) => a - b)
    t.comment(`${figure}: ${median?.toFixed(0)} (median of 5)`)
  }
})

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
let bytes = 0
const pictured = portalStates.filter(({ name, isPictured }) =>
  isForDocs ? documented.includes(name) : isPictured === true,
)
for (const state of pictured) {
  await t.test(state.name, async (t) => {
    await browser.visit(t, visit, async ({ page, expectAnswers }) => {
      expectAnswers(...(state.answers ?? []))
      await openState(page, world, state)
      // A dialog lies over the window, not over the whole page.
      const isDialog = (await page.getByRole('dialog').count()) > 0
      for (const { suffix, ...look } of looks) {
        await showState(page, world, state, look)
        const path = join(folder, `${state.name}${suffix}.png`)
        const height = await page.evaluate<number>('document.documentElement.scrollHeight')
        const clip = { x: 0, y: 0, width: look.width, height: Math.min(height, heightMax) }
        await page.screenshot({
          path,
          animations: 'disabled',
          caret: 'hide',
          ...(isDialog ? {} : { fullPage: true, clip }),
        })
        bytes += statSync(path).size
      }
    })
  })
}
t.comment(`${(bytes / 1024 ** 2).toFixed(1)} MB in ${folder}`)

interface FirstLoad {
  readonly firstPaintMs: number
  /** The APIs stand there. */
  readonly completeMs: number
  /** The same, and no task of 50 ms or more runs after it. */
  readonly interactiveMs: number
}

/** Loads the first page with nothing cached. Milliseconds since the navigation began. */
async function firstLoad(page: Page): Promise<FirstLoad> {
  await page.addInitScript(`window.tollgateFirstLoad = new Promise((resolve) => {
    let longTasksEndedAt = 0
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) longTasksEndedAt = task.startTime + task.duration
    }).observe({ type: 'longtask', buffered: true })
    const look = () => {
      if (!document.body?.innerText.includes('1.7.0')) return requestAnimationFrame(look)
      const completeMs = performance.now()
      setTimeout(() => {
        const [paint] = performance.getEntriesByName('first-contentful-paint')
        resolve({
          firstPaintMs: paint.startTime,
          completeMs,
          interactiveMs: Math.max(completeMs, longTasksEndedAt),
        })
      }, 1000)
    }
    look()
  })`)
  await page.goto(portalUrl)
  return page.evaluate<FirstLoad>('window.tollgateFirstLoad')
}
