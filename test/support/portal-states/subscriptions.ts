import type { PageState } from './page-state.ts'
import { busy, dialogOf, fresh, menuDialogOf, named } from './steps.ts'

/** Subscriptions of an application, and its move to another version. */
export const subscriptionStates: readonly PageState[] = [
  {
    name: 'subscriptions-empty',
    viewer: 'newcomer',
    path: fresh('/subscriptions'),
    prepare: (page, _world, { t }) =>
      named(page, 'button', t('subscriptions.subscribeAndKey')).waitFor(),
    isPictured: true,
  },
  {
    name: 'subscriptions',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: (page) => page.getByText('1.6.0').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'subscription-end',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: menuDialogOf(/^Actions for Payments/, /^End subscription/),
  },
  {
    name: 'more-calls',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: (page, _world, { t }) => dialogOf(t('moreCalls.ask'))(page),
    isPictured: true,
  },
  {
    name: 'move',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: async (page) => {
      await page.locator('summary').filter({ hasText: '1.6.0' }).first().click()
      await page.locator('a[href*="/move/"]').first().click()
      await page.locator('h2').first().waitFor()
      // It has 1.7.0 already, so all that is left is to end the old one.
      await page
        .locator('main')
        .getByRole('button', { name: /1\.6\.0/ })
        .waitFor()
    },
    isPictured: true,
  },
]
