import type { Page } from 'playwright-core'
import type { Words } from '../../../src/messages/format.ts'
import type { Language } from '../../../src/messages/language.ts'
import type { PageState } from './page-state.ts'
import { busy, fresh, menuDialogOf, named, press } from './steps.ts'

/** Keys of an application. */
export const keyStates: readonly PageState[] = [
  { name: 'keys-empty', viewer: 'newcomer', path: fresh('/keys') },
  {
    name: 'keys',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page, _world, { t }) => {
      await page.getByText(t('keys.ended')).click()
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
    prepare: async (page, _world, words) => {
      await createKey(page, words, { en: 'Continuous integration', he: 'אינטגרציה רציפה' })
      await page.getByText(words.t('issued.terminal')).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'accounts-read',
    viewer: 'developer',
    path: busy('/keys'),
    prepare: async (page, _world, words) => {
      const { t } = words
      await createKey(page, words, { en: 'First steps', he: 'צעדים ראשונים' })
      await press(page, t('accounts.read'))
      await page.getByRole('list', { name: t('accounts.of', { name: 'Noa Levi' }) }).waitFor()
      await page.getByRole('heading', { name: t('firstCall.arrived') }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'key-shown-unsubscribed',
    viewer: 'newcomer',
    path: fresh('/keys'),
    prepare: async (page, _world, words) => {
      await createKey(page, words, { en: 'First', he: 'ראשון' })
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

/** Creates a key; its name, which no other key may have, is in the language of the page. */
async function createKey(
  page: Page,
  { t, language }: Words,
  name: Readonly<Record<Language, string>>,
): Promise<void> {
  await press(page, t('keys.create'))
  await named(page, 'textbox', t('field.name')).fill(name[language])
  await page
    .locator('form')
    .getByRole('button', { name: t('keys.create') })
    .click()
}
