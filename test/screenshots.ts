// `npm run screenshots` takes a picture of every page into pictures/, in light, dark, on a phone and from right to
// left, and times the first pages. With `-- --docs` it takes those that pages of this repository show, as WebP, into
// docs/pictures/. With `-- --only <names>` it takes those whose name begins with one of these (`keys,usage`), and with
// `-- --times` none.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { showAs, startBrowser, type VisitOptions } from './support/browser.ts'
import { openInHebrew, openState, portalStates } from './support/portal-states.ts'
import { type PortalWorld, portalWorlds } from './support/portal-world.ts'

t.setTimeout(1_200_000)

const isForDocs = process.argv.includes('--docs')
const isForTimes = process.argv.includes('--times')
const only = process.argv.includes('--only') ? (process.argv.at(-1) ?? '') : ''
const folder = join(import.meta.dirname, '..', isForDocs ? 'docs/pictures' : 'pictures')
const type = isForDocs ? 'webp' : 'png'

/** Height of a picture in pixels. What lies below looks like what lies above. */
const heightMax = isForDocs ? 1200 : 2000

/** States that README.md and pages in docs/ show, in light and dark. */
const shown = ['call-refused', 'overview', 'sandbox']

const looks = [
  { name: 'light', colorScheme: 'light', width: 1280 } as const,
  { name: 'dark', colorScheme: 'dark', width: 1280 } as const,
  ...(isForDocs ? [] : [{ name: 'phone', colorScheme: 'light', width: 390 } as const]),
]

/** A link to the version 1.7.0. */
const versions = '#root a[href="/apis/xs2a/1.7.0"]'

/** Pages of readers who come for the first time, with an element of what each came for and one of the whole page. */
const contents = [
  ['/', 'main a[href="/apis/xs2a/1.7.0"]', versions],
  ['/apis/xs2a/1.7.0', 'main a[href*="#tag/"]', '#root main a[href*="#tag/"]'],
  ['/apis/xs2a/1.7.0#tag/accounts/listAccounts', '.sk-op[data-named] p', '#root article pre'],
  ['/sandbox', 'main li', '#root main li'],
] as const

const worldOf = portalWorlds(t, { calls: 100, window: 'PT1H' })
const browser = await startBrowser()
const plain = await worldOf({})
const { portal: portalUrl } = plain.tollgate.urls
const visit = visitOf(plain)

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

if (only === '')
  await t.test('how long it takes with 50 KB a second', async (t) => {
    for (const [path, content, whole] of contents) {
      await browser.visit(t, visit, async ({ page }) => {
        const session = await page.context().newCDPSession(page)
        await session.send('Network.enable')
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 100,
          downloadThroughput: 50 * 1024,
          uploadThroughput: 50 * 1024,
        })
        let bytes = 0
        session.on('Network.dataReceived', ({ encodedDataLength }) => {
          bytes += encodedDataLength
        })
        const { firstPaintMs, completeMs } = await firstLoad(page, path, content)
        await page.locator(whole).first().waitFor()
        const wholeMs = await page.evaluate<number>('performance.now()')
        t.comment(
          `${path}: first paint ${firstPaintMs.toFixed(0)}, content ${completeMs.toFixed(0)} ms (goal 4000), whole page ${wholeMs.toFixed(0)} ms, ${(bytes / 1024).toFixed(0)} KB`,
        )
      })
    }
  })

if (!isForTimes && only === '') rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
let bytes = 0
const pictured = portalStates.filter(
  ({ name, isPictured }) =>
    isPictured === true &&
    !isForTimes &&
    (!isForDocs || shown.includes(name)) &&
    only.split(',').some((prefix) => name.startsWith(prefix)),
)
for (const state of pictured) {
  await t.test(state.name, async (t) => {
    const world = await worldOf(state)
    await browser.visit(t, visitOf(world), async ({ page, expectAnswers }) => {
      expectAnswers(...(state.answers ?? []))
      await openState(page, world, state)
      for (const { name, ...look } of looks) {
        await showAs(page, look)
        await takePicture(page, `${state.name}-${name}`, look.width)
      }
      if (isForDocs) return
      // First the width: on a phone some filters are behind a button.
      await showAs(page, { colorScheme: 'light', width: 1280 })
      await openInHebrew(page, world, state)
      await takePicture(page, `${state.name}-rtl`, 1280)
    })
  })
}
t.comment(`${(bytes / 1024 ** 2).toFixed(1)} MB in ${folder}`)

function visitOf({ tollgate }: PortalWorld): VisitOptions {
  const { portal, gateway } = tollgate.urls
  return { portalUrl: portal, gatewayUrl: gateway }
}

/** The whole page, as far as it fits; a dialog lies over the window, not over the whole page. */
async function takePicture(page: Page, name: string, width: number): Promise<void> {
  const isDialog = (await page.getByRole('dialog').count()) > 0
  // What sticks to the window stands where a reader sees it first. A dialog lies where the page has been scrolled to.
  if (!isDialog) await page.evaluate('scrollTo(0, 0)')
  const y = await page.evaluate<number>('scrollY')
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
  const height = isDialog ? (page.viewportSize()?.height ?? 900) : Math.min(whole, heightMax)
  const session = await page.context().newCDPSession(page)
  // Playwright itself takes no WebP.
  const { data } = await session.send('Page.captureScreenshot', {
    format: type,
    ...(type === 'webp' ? { quality: 80 } : {}),
    captureBeyondViewport: !isDialog,
    clip: { x: 0, y, width, height, scale: 1 },
  })
  await session.detach()
  const path = join(folder, `${name}.${type}`)
  writeFileSync(path, Buffer.from(data, 'base64'))
  bytes += statSync(path).size
}

interface FirstLoad {
  readonly firstPaintMs: number
  /** What the reader came for stands there. */
  readonly completeMs: number
  /** The same, and no task of 50 ms or more runs after it. */
  readonly interactiveMs: number
}

/** Loads a page with nothing cached, until an element shows. Milliseconds since the navigation began. */
async function firstLoad(page: Page, path = '/', content = versions): Promise<FirstLoad> {
  await page.addInitScript(`window.tollgateFirstLoad = new Promise((resolve) => {
    let longTasksEndedAt = 0
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) longTasksEndedAt = task.startTime + task.duration
    }).observe({ type: 'longtask', buffered: true })
    const look = () => {
      if (document.querySelector(${JSON.stringify(content)}) === null) return requestAnimationFrame(look)
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
  await page.goto(`${portalUrl}${path}`)
  return page.evaluate<FirstLoad>('window.tollgateFirstLoad')
}
