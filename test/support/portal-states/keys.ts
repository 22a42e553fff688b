import type { PageState } from './page-state.ts'
import { busy, fresh, menuDialogOf, named, press } from './steps.ts'

/** Keys of an application. */
export const keyStates: readonly PageState[] = [
  { name: 'keys-empty', viewer: 'newcomer', path: fresh('/keys') },
  {
    name: 'keys',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page) => {
      await page.getByText('Keys that no longer work').click()
    },
    isPictured: true,
  },
  {
    name: 'key-create',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: (page) => press(page, 'Create key'),
  },
  {
    name: 'key-shown',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page) => {
      await press(page, 'Create key')
      await named(page, 'textbox', 'Name').fill('Continuous integration')
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await page.getByText('Call from your terminal').click()
      await page.getByRole('region', { name: 'command', exact: true }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'accounts-read',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page) => {
      await press(page, 'Create key')
      await named(page, 'textbox', 'Name').fill('First steps')
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await press(page, 'Read Noa Levi’s accounts')
      await page.getByRole('list', { name: 'Noa Levi’s accounts' }).waitFor()
      await page.getByRole('heading', { name: 'The first call arrived' }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'key-shown-unsubscribed',
    viewer: 'newcomer',
    path: fresh('/keys'),
    prepare: async (page) => {
      await press(page, 'Create key')
      await named(page, 'textbox', 'Name').fill('First')
      await page.locator('form').getByRole('button', { name: 'Create key' }).click()
      await page.getByText('works as soon as the application is subscribed').waitFor()
    },
  },
  {
    name: 'key-menu',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page) => {
      await press(page, 'Actions for Production')
      await page.getByRole('menuitem', { name: 'Rotate key Production' }).waitFor()
    },
  },
  {
    name: 'key-rotate',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: menuDialogOf('Actions for Production', 'Rotate key Production'),
  },
  {
    name: 'key-revoke',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: menuDialogOf('Actions for Production', 'Revoke key Production'),
  },
  {
    name: 'key-addresses',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: menuDialogOf('Actions for Production', 'Allowed addresses of key Production'),
  },
]
