import type { Page } from 'playwright-core'
import type { PortalWorld } from '../portal-world.ts'

/** The element of that role and exactly that name. */
export const named = (page: Page, role: 'button' | 'textbox' | 'heading', name: string | RegExp) =>
  page.getByRole(role, { name, exact: true })

/** Presses the first button of that name. */
export const press = (page: Page, name: string | RegExp) =>
  named(page, 'button', name).first().click()

/** Opens the dialog of a button. */
export const dialogOf = (name: string | RegExp) => async (page: Page) => {
  await press(page, name)
  await page.getByRole('dialog').waitFor()
}

/** Opens the dialog of an item in a menu. */
export const menuDialogOf =
  (menu: string | RegExp, item: string | RegExp) => async (page: Page) => {
    await press(page, menu)
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').waitFor()
  }

/** Path of the application that makes many calls, or of one of its tabs. */
export const busy =
  (tab = '') =>
  (world: PortalWorld) =>
    `/applications/${world.applications.busy}${tab}`

/** Path of the application that has nothing yet, or of one of its tabs. */
export const fresh =
  (tab = '') =>
  (world: PortalWorld) =>
    `/applications/${world.applications.fresh}${tab}`
