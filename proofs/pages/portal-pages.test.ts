import type { Page } from 'playwright-core'
import t from 'tap'
import {
  accessibilityViolations,
  outlineOf,
  recoloredViolations,
} from '../../test/support/accessibility.ts'
import {
  chromiumMissing,
  horizontalOverflow,
  showAs,
  startBrowser,
} from '../../test/support/browser.ts'
import type { PageState } from '../../test/support/portal-states/page-state.ts'
import {
  isSeenInHebrew,
  openInHebrew,
  openState,
  portalStates,
} from '../../test/support/portal-states.ts'
import { type PortalWorld, portalWorlds } from '../../test/support/portal-world.ts'
import { proofSize } from '../size.ts'
import { cutOff } from '../support/cut-off.ts'

const timeout = 1_200_000
/** Every so-many-th state is looked at. */
const everySo = proofSize({ share: 4, whole: 1 })
t.setTimeout(timeout)

t.test('every page in every state', { skip: chromiumMissing(), timeout }, async (all) => {
  const worldOf = portalWorlds(all)
  const browser = await startBrowser()
  const free = new Map<PortalWorld, Awaited<ReturnType<typeof browser.openPage>>[]>()
  // A page waits for the portal, and the portal for its database.
  all.jobs = 2

  for (const [index, state] of portalStates.entries()) {
    if (index % everySo !== 0) continue
    const looks = looksOf(state, index)
    all.test(
      `${state.name}: keeps WCAG 2.2 AA and fits, ${looks.join(', ')}`,
      { timeout: 300_000 },
      async (t) => {
        const world = await worldOf(state)
        const { portal: portalUrl, gateway: gatewayUrl } = world.tollgate.urls
        const unused = free.get(world) ?? []
        free.set(world, unused)
        const visit = unused.pop() ?? (await browser.openPage(all, { portalUrl, gatewayUrl }))
        await visit(t, async ({ page, expectAnswers }) => {
          expectAnswers(...(state.answers ?? []))
          await openState(page, world, state)
          t.equal(await page.locator('h1').count(), 1)
          t.not(await page.title(), '')
          if (looks.includes('light')) t.same(await accessibilityViolations(page), [], 'light')
          if (looks.includes('dark')) {
            const outline = looks.includes('light') ? await outlineOf(page) : undefined
            await showAs(page, { colorScheme: 'dark', width: 1280 })
            t.same(await recoloredViolations(page, outline), [], 'dark')
          }
          if (looks.includes('phone')) {
            // 640 px are a window of 1280 at 200 % zoom (WCAG 2.2, 1.4.4), 320 px the narrowest phone (1.4.10).
            for (const width of state.isPictured ? [640, 390, 320] : [390]) {
              await showAs(page, { colorScheme: 'light', width })
              t.equal(
                await horizontalOverflow(page),
                0,
                `nothing is scrolled sideways, ${width} px`,
              )
              if (state.isPictured)
                t.same(await cutOff(page), [], `nothing is cut off, ${width} px`)
            }
            t.same(await accessibilityViolations(page), [], 'on a phone')
          }
          if (!looks.includes('right to left')) return
          await showAs(page, { colorScheme: 'light', width: 1280 })
          await openInHebrew(page, world, state)
          t.equal(await page.evaluate('document.documentElement.dir'), 'rtl')
          t.same(await accessibilityViolations(page), [], 'from right to left')
          t.same(await englishWords(page), [], 'nothing is left in English')
          await showAs(page, { colorScheme: 'light', width: 320 })
          t.equal(await horizontalOverflow(page), 0, 'nor from right to left on a phone')
          if (state.isPictured) t.same(await cutOff(page), [], 'nothing is cut off there')
        })
        unused.push(visit)
      },
    )
  }
})

const allLooks = ['light', 'dark', 'phone', 'right to left'] as const
type Look = (typeof allLooks)[number]

/** The looks in which a state is checked: all, or one, which is another one for the next state. */
function looksOf(state: PageState, index: number): readonly Look[] {
  const looks = allLooks.filter((look) => look !== 'right to left' || isSeenInHebrew(state))
  const first = Math.floor(index / everySo) % looks.length
  return [...looks.slice(first), ...looks.slice(0, first)].slice(
    0,
    proofSize({ share: 1, whole: looks.length }),
  )
}

/**
 * Sentences of a Hebrew page that are not Hebrew: three English words in a row, outside of what is data or code (a
 * name in `<bdi>` or between isolates, text that is left to right). Marked as English may be only the long descriptions of
 * an API's document, and what a service answered or an email said as it was sent.
 */
function englishWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode
      if (parentElement.closest('bdi:not([lang]), code, pre, [dir="ltr"]:not([lang]), [data-document], [data-as-sent], script, style, noscript')) continue
      if (/[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/.test(textContent.replace(/\\u2068[^\\u2069]*\\u2069/g, ''))) found.push(textContent.trim())
    }
    return found
  })()`)
}
