import type { Page, Request } from 'playwright-core'
import { until } from './until.ts'

const underWay = new WeakMap<Page, Set<Request>>()

/** Remembers the requests of a page that have no answer yet. */
export function watchRequests(page: Page): void {
  const requests = new Set<Request>()
  underWay.set(page, requests)
  page.on('request', (request) => requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
}

/**
 * Waits until a page has what it asked for and nothing to do. Playwright's own
 * wait lasts until half a second after the last answer; where an answer never
 * ends, it is the one that ends.
 */
export async function quiet(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  let isOver = false
  const isQuiet = async () => isOver || ((await isIdle(page)) && (await isIdle(page)))
  try {
    await Promise.race([page.waitForLoadState('networkidle'), until('quiet', isQuiet)])
  } finally {
    isOver = true
  }
}

async function isIdle(page: Page): Promise<boolean> {
  if (underWay.get(page)?.size !== 0) return false
  // What an answer leads to comes before a page is idle.
  const isThere = await page.evaluate<boolean>(idle).catch(() => false)
  return isThere && underWay.get(page)?.size === 0
}

const idle = `new Promise((resolve) =>
  requestAnimationFrame(() => requestIdleCallback(() => resolve(true), { timeout: 1000 })))`
