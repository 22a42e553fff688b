import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core'
import tap, { type Test } from 'tap'
import { shareInProcess } from '../runner/left-open.ts'
import { watchRequests } from './quiet-page.ts'
import { until } from './until.ts'

/** Where Debian puts it. Without what draws windows, pages take three quarters of the time of the processors. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = programs.find((path) => existsSync(path))

/** A machine with two busy cores is slow; a test that fails waits this long. */
const patienceMs = 45_000

/** Says why tests in a browser cannot run here, for the option `skip` of a test; false when they can. */
export function chromiumMissing(): string | false {
  if (executablePath !== undefined) return false
  return `none of ${programs.join(', ')} is installed`
}

export interface VisitOptions {
  readonly portalUrl: string
  /** The only other origin a page may ask. (Default: none) */
  readonly gatewayUrl?: string
  /** (Default: light and 1280 px wide) */
  readonly context?: BrowserContextOptions
}

/** A page whose every complaint is written down. */
export interface Visit {
  readonly page: Page
  /**
   * Says which answers of 400 and above the following steps cause on purpose, as `"404 /api/applications/*"`; one entry
   * stands for any number, and for at least one.
   */
  expectAnswers(...answers: readonly string[]): void
  /** From here on the portal may be unreachable. */
  expectOutage(): void
  /** From here on the page's script may fail with such an error, which it shows and React writes to the console. */
  expectFault(message: RegExp): void
}

export interface TestBrowser {
  /**
   * Opens a page in its own context (no cookies), runs the steps, and
   * asserts that nothing was written to the console, no script failed, no
   * request went to another origin, nothing broke the content security policy
   * and no response was an unexpected error.
   */
  visit(t: Test, options: VisitOptions, steps: Steps): Promise<void>
  /**
   * Opens a page for several such visits, one after another. Each begins
   * without cookies and with nothing stored; only the files of the pages are
   * kept, which takes a third of the time.
   */
  openPage(t: Test, options: VisitOptions): Promise<(t: Test, steps: Steps) => Promise<void>>
}

export type Steps = (visit: Visit) => Promise<void>

let launched: Promise<Browser> | undefined

/** Chromium, one for all tests of a process; contexts share nothing. It ends with the process. */
export function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`install one of ${programs.join(', ')}`)
  const args = ['--no-sandbox', '--disable-gpu', '--num-raster-threads=1']
  const launch = () => chromium.launch({ executablePath, args })
  launched ??= shareInProcess(launch).then((browser) => {
    tap.teardown(() => browser.close())
    return browser
  })
  return launched
}

/** A browser for visits. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await launchBrowser()
  return {
    async visit(t, options, steps) {
      const { page, watch } = await openWatched(browser, options)
      await watched(t, { page, watch }, steps, () => page.context().close())
    },
    async openPage(t, options) {
      const opened = await openWatched(browser, options)
      const { page, watch } = opened
      const context = page.context()
      t.teardown(() => context.close())
      return async (t, steps) => {
        Object.assign(watch, unwatched())
        await page.setViewportSize(firstLook.viewport)
        await page.emulateMedia({ colorScheme: firstLook.colorScheme })
        await watched(t, opened, steps, async () => {
          await page.evaluate('localStorage.clear(); sessionStorage.clear()')
          // Pending requests end here, so that they do not count for the next visit.
          await page.goto('about:blank')
          await context.clearCookies()
        })
      }
    },
  }
}

/** Runs the steps of a visit and asserts what it promises. */
async function watched(
  t: Test,
  { page, watch }: { readonly page: Page; readonly watch: Watch },
  steps: Steps,
  leave: () => Promise<unknown>,
): Promise<void> {
  const { expected, complaints } = watch
  try {
    await steps({
      page,
      expectAnswers: (...answers) => {
        for (const answer of answers) expected.set(answer, 0)
      },
      expectOutage: () => {
        watch.isOutageExpected = true
      },
      expectFault: (message) => {
        watch.fault = message
      },
    })
  } catch (error) {
    // What the reader of a failed run would look at first.
    const text = await page.locator('body').innerText({ timeout: 1000 }).catch(String)
    t.fail('the steps ended on this page', { url: page.url(), complaints, text })
    throw error
  } finally {
    await leave()
  }
  t.same(complaints, [], 'the page had nothing to complain about')
  for (const [answer, seen] of expected) t.ok(seen > 0, `${answer} was provoked`)
}

interface Watch {
  complaints: string[]
  expected: Map<string, number>
  isOutageExpected: boolean
  fault: RegExp | undefined
}

function unwatched(): Watch {
  return { complaints: [], expected: new Map(), isOutageExpected: false, fault: undefined }
}

/** The default. */
const firstLook = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const

async function openWatched(browser: Browser, { portalUrl, gatewayUrl, context }: VisitOptions) {
  const opened = await browser.newContext({
    ...firstLook,
    locale: 'en-GB',
    timezoneId: 'Asia/Jerusalem',
    reducedMotion: 'reduce',
    ...context,
  })
  opened.setDefaultTimeout(patienceMs)
  const watch = unwatched()
  const complain = (text: string) => void watch.complaints.push(text)
  await opened.exposeFunction('tollgateTestViolation', (text: string) => {
    complain(`content security policy: ${text}`)
  })
  await opened.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.tollgateTestViolation(
      event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`)

  const origins = new Set([portalUrl, gatewayUrl])
  const page = await opened.newPage()
  watchRequests(page)
  page.on('request', (request) => {
    const foreign = originOf(request)
    if (foreign !== undefined && !origins.has(foreign)) complain(`asked ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() < 400) return
    const answer = `${response.status()} ${new URL(response.url()).pathname}`
    const match = [...watch.expected.keys()].find((pattern) => matches(pattern, answer))
    if (match === undefined) complain(`answered ${answer}`)
    else watch.expected.set(match, (watch.expected.get(match) ?? 0) + 1)
  })
  page.on('pageerror', (error) => complain(`failed: ${error.stack ?? error.message}`))
  page.on('dialog', (dialog) => {
    // One that asks before leaving is the page's own; any other is a script that should not run.
    if (dialog.type() !== 'beforeunload') complain(`opened a dialog: ${dialog.message()}`)
    void dialog.accept()
  })
  page.on('crash', () => complain('crashed'))
  page.on('console', (message) => {
    const text = message.text()
    // Judged by the answers themselves.
    if (text.startsWith('Failed to load resource: the server responded with')) return
    if (watch.isOutageExpected && text.startsWith('Failed to load resource: net::')) return
    if (watch.fault?.test(text) === true) return
    complain(`console ${message.type()}: ${text}`)
  })
  return { page, watch }
}

/** Undefined for what needs no network. */
function originOf(request: Request): string | undefined {
  const { protocol, origin } = new URL(request.url())
  return protocol === 'data:' || protocol === 'blob:' ? undefined : origin
}

function matches(pattern: string, answer: string): boolean {
  const parts = pattern.split('/')
  const given = answer.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, index) => part === '*' || part === given[index])
  )
}

/** Resolves when nothing moves any more but what never stops. */
export async function stillness(page: Page): Promise<void> {
  // A busy browser draws no frames for a hidden page.
  await page.bringToFront()
  await evaluate(
    page,
    `(async () => {
      // By its state: Chromium may never settle the promise of a transition whose element changed again.
      const isMoving = () => document.getAnimations().some(({ playState, effect }) =>
        playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime))
      // What a change sets in motion begins to move in the frame after it.
      for (let frame = 0; frame < 2 || isMoving(); frame += 1) await new Promise(requestAnimationFrame)
    })()`,
  )
}

/**
 * Waits for what a page learns when it asks again. Its clock goes ahead, in place
 * of the seconds between two questions.
 *
 * @param page whose clock is installed (`page.clock.install()`)
 */
export function askedAgain(page: Page, shown: Locator): Promise<void> {
  return until(`the page shows ${shown}`, async () => {
    if (await shown.isVisible()) return true
    await page.clock.fastForward(secondsBetweenMax * 1_000)
    return false
  })
}

/** The longest time between two questions of a page that waits for something. */
const secondsBetweenMax = 15

/** What a page adapts to. */
export interface Look {
  /** Colour scheme of the system. */
  readonly colorScheme: 'light' | 'dark'
  /** Width of the window in pixels. */
  readonly width: number
}

/** Shows a page as a system set to light or dark does, in a window of that width. */
export async function showAs(page: Page, { colorScheme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 })
  await page.emulateMedia({ colorScheme })
  // Pages without script have no attribute and follow by themselves.
  const shown = `document.documentElement.dataset.mantineColorScheme ?? '${colorScheme}'`
  await until(`the page is ${colorScheme}`, async () => {
    return (await page.evaluate<string>(shown)) === colorScheme
  })
  await stillness(page)
}

/** Runs a script in the page and waits for its result, but not forever, as the page by itself would. */
export async function evaluate<Result>(page: Page, script: string): Promise<Result> {
  const timer = new AbortController()
  const late = delay(patienceMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no result within ${patienceMs} ms of: ${script.slice(0, 100)}`)
  })
  try {
    return await Promise.race([page.evaluate<Result>(script), late])
  } finally {
    timer.abort()
    late.catch(() => undefined)
  }
}

/** Text of what has the focus: empty for the document itself. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>(
    'document.activeElement === document.body ? "" : document.activeElement.innerText',
  )
}

/** How many pixels the page is wider than its window; 0 when nothing has to be scrolled sideways. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  )
}
