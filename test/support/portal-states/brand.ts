import type { PageState } from './page-state.ts'
import { busy } from './steps.ts'

/** Pages of a portal with the brand of a bank: its logo, accent, terms and addresses. */
export const brandStates: readonly PageState[] = (
  [
    {
      name: 'brand-landing',
      viewer: 'visitor',
      path: '/',
      prepare: (page) => page.getByText('1.7.0').first().waitFor(),
      isPictured: true,
    },
    {
      name: 'brand-verify',
      viewer: 'visitor',
      path: `/verify#token=${'A'.repeat(43)}`,
      prepare: (page) => page.getByRole('checkbox').check(),
      isPictured: true,
    },
    // With the ring of the focus around its button.
    {
      name: 'brand-sign-in',
      viewer: 'visitor',
      path: '/sign-in',
      isPictured: true,
      prepare: async (page) => {
        await page.locator('form button[type="submit"]').focus()
      },
    },
    {
      name: 'brand-usage',
      viewer: 'developer',
      path: busy('/usage'),
      prepare: async (page, _world, { t }) => {
        await page.getByText(t('limit.usedUp')).waitFor()
        await page.locator('svg[role="img"]').first().waitFor()
      },
      isPictured: true,
    },
    {
      name: 'brand-problem',
      viewer: 'visitor',
      path: '/problems/QUOTA_EXCEEDED',
      isPictured: true,
    },
    {
      name: 'brand-mailbox',
      viewer: 'visitor',
      path: '/mailbox',
      prepare: async (page) => {
        await page.getByRole('article').waitFor()
        await page.locator('details summary').first().click()
      },
      isPictured: true,
    },
  ] satisfies readonly PageState[]
).map((state) => ({ ...state, isBranded: true }))
