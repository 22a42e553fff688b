import type { PageState } from './page-state.ts'

/** Pages about what is published: APIs, versions, guides and the pages of problems. */
export const publishedStates: readonly PageState[] = [
  {
    name: 'landing',
    viewer: 'visitor',
    path: '/',
    prepare: (page) => page.getByText('1.7.0').first().waitFor(),
    isPictured: true,
  },
  { name: 'version', viewer: 'visitor', path: '/apis/xs2a/1.7.0', isPictured: true },
  { name: 'version-deprecated', viewer: 'visitor', path: '/apis/xs2a/1.6.0' },
  {
    name: 'difference',
    viewer: 'visitor',
    path: '/apis/xs2a/diff?from=1.6.0&to=1.7.0',
    isPictured: true,
  },
  {
    name: 'not-found',
    viewer: 'visitor',
    path: '/nothing-here',
    answers: ['404 /nothing-here'],
    isPictured: true,
  },
  {
    name: 'reference',
    viewer: 'visitor',
    path: '/apis/xs2a/1.7.0#tag/payments/initiatePayment',
    prepare: async (page) => {
      await page.getByRole('article').waitFor()
      await page.getByText('endToEndIdentification').first().waitFor()
    },
    isPictured: true,
  },
  {
    name: 'version-changes',
    viewer: 'visitor',
    path: '/apis/xs2a/1.7.0/changes',
    prepare: (page, _world, { t }) =>
      page.getByText(t('diff.removedIn', { version: '1.7.0' })).waitFor(),
    isPictured: true,
  },
  { name: 'version-plans', viewer: 'visitor', path: '/apis/xs2a/1.7.0/plans', isPictured: true },
  { name: 'version-of-developer', viewer: 'developer', path: '/apis/mandate/1.0.0' },
  { name: 'landing-of-developer', viewer: 'developer', path: '/' },
  {
    name: 'guides',
    viewer: 'visitor',
    path: '/guides',
    prepare: (page) => page.locator('main ol a').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'guide',
    viewer: 'developer',
    path: '/guides/first-call',
    prepare: (page) => page.getByRole('tab', { name: 'Python' }).first().waitFor(),
    isPictured: true,
  },
  {
    name: 'guide-errors',
    viewer: 'visitor',
    path: '/guides/errors',
    prepare: async (page) => {
      await page.locator('#QUOTA_EXCEEDED').waitFor()
      await page.evaluate("location.hash = 'QUOTA_EXCEEDED'")
      await page.locator('#QUOTA_EXCEEDED:focus').waitFor()
    },
  },
  {
    name: 'search',
    viewer: 'developer',
    path: '/guides',
    prepare: async (page) => {
      await page.locator('main ol a').first().waitFor()
      await page.keyboard.press('Control+KeyK')
      await page.getByRole('combobox').fill('accounts')
      await page.getByRole('option').first().waitFor()
    },
    isPictured: true,
  },
  { name: 'problem', viewer: 'visitor', path: '/problems/QUOTA_EXCEEDED', isPictured: true },
  {
    name: 'problem-of-developer',
    viewer: 'developer',
    path: '/problems/QUOTA_EXCEEDED',
    isPictured: true,
  },
]
