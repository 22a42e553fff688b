import type { PageState } from './page-state.ts'
import { dialogOf, press } from './steps.ts'

/** A developer's own account. */
export const profileStates: readonly PageState[] = [
  { name: 'profile', viewer: 'developer', path: '/profile', isPictured: true },
  {
    name: 'profile-wrong-password',
    viewer: 'developer',
    path: '/profile',
    answers: ['401 /api/session/developer'],
    prepare: async (page) => {
      await press(page, 'Change address')
      const form = page.getByRole('form', { name: 'Change address' })
      await form.getByLabel('New address').fill('ada@example.com')
      await form.getByLabel('Current password').fill('not the password')
      await form.getByRole('button', { name: 'Change address' }).click()
      await form.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'profile-missing',
    viewer: 'developer',
    path: '/profile',
    prepare: async (page) => {
      await press(page, 'Change password')
      const form = page.getByRole('form', { name: 'Change password' })
      await form.getByRole('button', { name: 'Change password' }).click()
      await page.locator('[aria-invalid="true"]').nth(1).waitFor()
    },
  },
  {
    name: 'profile-invalid',
    viewer: 'developer',
    path: '/profile',
    answers: ['400 /api/session/developer'],
    prepare: async (page) => {
      await press(page, 'Change address')
      const form = page.getByRole('form', { name: 'Change address' })
      await form.getByLabel('New address').fill('nobody')
      await form.getByLabel('Current password').fill('any password at all')
      await form.getByRole('button', { name: 'Change address' }).click()
      await form.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'profile-add-app',
    viewer: 'developer',
    path: '/profile',
    prepare: async (page, _world, { t }) => {
      await press(page, t('factors.addApp'))
      await page.getByRole('img', { name: t('factor.qr') }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'account-delete',
    viewer: 'developer',
    path: '/profile',
    prepare: (page, _world, { t }) => dialogOf(t('profile.deleteOpen'))(page),
    isPictured: true,
  },
  {
    name: 'menu',
    viewer: 'developer',
    path: '/profile',
    prepare: async (page) => {
      await press(page, 'Account of Ada Lovelace')
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    },
  },
]
