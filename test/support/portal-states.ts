import type { Page } from 'playwright-core'
import { languageCookie } from '../../src/messages/language.ts'
import { wordsOf } from '../../src/messages/words.ts'
import { accountStates } from './portal-states/account.ts'
import { applicationStates } from './portal-states/applications.ts'
import { brandStates } from './portal-states/brand.ts'
import { keyStates } from './portal-states/keys.ts'
import { operatorStates } from './portal-states/operator.ts'
import type { PageState } from './portal-states/page-state.ts'
import { profileStates } from './portal-states/profile.ts'
import { publishedStates } from './portal-states/published.ts'
import { sandboxStates } from './portal-states/sandbox.ts'
import { settingsStates } from './portal-states/settings.ts'
import { subscriptionStates } from './portal-states/subscriptions.ts'
import { usageStates } from './portal-states/usage.ts'
import type { PortalWorld } from './portal-world.ts'
import { quiet } from './quiet-page.ts'

/** Every page of the portal, in every state that looks different. */
export const portalStates: readonly PageState[] = [
  ...publishedStates,
  ...sandboxStates,
  ...accountStates,
  ...applicationStates,
  // Those of an application that has nothing, before those that give it something.
  ...subscriptionStates,
  ...usageStates,
  ...keyStates,
  ...settingsStates,
  ...profileStates,
  ...operatorStates,
  ...brandStates,
]

/** Opens a state in a page of its viewer and waits until it stands still. */
export async function openState(page: Page, world: PortalWorld, state: PageState): Promise<void> {
  await openPath(page, world, state)
  await state.prepare?.(page, world, wordsOf('en'))
  await quiet(page)
}

/** Opens a state in Hebrew, from right to left; one that is not pictured as its page begins. */
export async function openInHebrew(
  page: Page,
  world: PortalWorld,
  state: PageState,
): Promise<void> {
  const { portal } = world.tollgate.urls
  await page.context().addCookies([{ name: languageCookie, value: 'he', url: portal }])
  // To the same path with a fragment it would only scroll.
  await page.goto('about:blank')
  await openPath(page, world, state)
  if (state.isPictured) await state.prepare?.(page, world, wordsOf('he'))
  await quiet(page)
}

/** Whether a state is looked at in Hebrew: all that are pictured, and the first of each page as its viewer finds it. */
export function isSeenInHebrew(state: PageState): boolean {
  const isSame = ({ viewer, path, isBranded }: PageState) =>
    viewer === state.viewer && String(path) === String(state.path) && isBranded === state.isBranded
  return state.isPictured === true || portalStates.find(isSame) === state
}

async function openPath(page: Page, world: PortalWorld, state: PageState): Promise<void> {
  const { viewer, path } = state
  const { portal } = world.tollgate.urls
  if (viewer !== 'visitor') {
    const { cookie } = world.viewers[viewer]
    await page.context().addCookies([{ ...cookie, url: portal, httpOnly: true, sameSite: 'Lax' }])
  }
  await page.goto(`${portal}${typeof path === 'string' ? path : path(world)}`)
  await page.locator('h1').waitFor()
}
