import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { evaluate, stillness } from './browser.ts'

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rules of WCAG 2.2 AA, as axe-core names them. */
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Rules that are not among those by default: landmarks that a list of them tells apart, names that hold what is shown. */
const moreRules = {
  'label-content-name-mismatch': { enabled: true },
  'landmark-unique': { enabled: true },
  'landmark-no-duplicate-banner': { enabled: true },
}

/** Those that look at colours. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * What axe-core finds wrong with the page as it stands: one line for each rule
 * and element. Of a page behind a modal dialog it looks at the dialog alone.
 */
export function accessibilityViolations(page: Page): Promise<string[]> {
  return violations(page, allRules)
}

/**
 * The same for a page that now has other colours: where it shows the same elements
 * as when it was found without fault, only the rules about colours can be broken.
 *
 * @param outline of the page without fault, if it was looked at
 */
export async function recoloredViolations(
  page: Page,
  outline: string | undefined,
): Promise<string[]> {
  await stillness(page)
  return violations(page, (await outlineOf(page)) === outline ? colorRules : allRules)
}

/** Which elements a page shows, without their texts, which go with the time. */
export function outlineOf(page: Page): Promise<string> {
  return evaluate(
    page,
    `[...document.querySelectorAll('body *')]
    .map((element) => element.checkVisibility() ? element.tagName + (element.role ?? '') : '-')
    .join(' ')`,
  )
}

async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  await stillness(page)
  // Through the debugger, so the page's policy still applies to everything else.
  const isThere = await evaluate<boolean>(page, 'typeof axe === "object"')
  if (!isThere) await evaluate(page, axeSource)
  return await evaluate<string[]>(
    page,
    `axe
    .run(document.querySelector('[role="dialog"][aria-modal="true"]') ?? document,
      { runOnly: ${JSON.stringify(rules)}, rules: ${JSON.stringify(moreRules)}, resultTypes: ['violations'], preload: false })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => id + ' at ' + node.target.join(' ') + ': ' + node.failureSummary)))`,
  )
}
