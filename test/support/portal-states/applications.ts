import type { PageState } from './page-state.ts'
import { busy, fresh, named, press } from './steps.ts'

/** The list of applications, and the overview of one. */
export const applicationStates: readonly PageState[] = [
  { name: 'applications', viewer: 'developer', path: '/applications', isPictured: true },
  {
    name: 'first-application',
    viewer: 'operator',
    path: '/applications',
    prepare: (page, _world, { t }) =>
      named(page, 'heading', t('createApplication.first')).waitFor(),
    isPictured: true,
  },
  {
    name: 'application-name-taken',
    viewer: 'developer',
    path: '/applications',
    answers: ['409 /api/applications'],
    prepare: async (page) => {
      await press(page, 'Create application')
      await named(page, 'textbox', 'Name').fill('Budget planner')
      await page.locator('form').getByRole('button', { name: 'Create application' }).click()
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  { name: 'application-empty', viewer: 'newcomer', path: fresh(), isPictured: true },
  {
    name: 'overview',
    viewer: 'developer',
    path: busy(),
    prepare: async (page) => {
      await page.locator('svg[role="img"]').first().waitFor()
      await page.getByRole('progressbar').first().waitFor()
      await page.getByText('429').first().waitFor()
    },
    isPictured: true,
  },
  {
    name: 'application-switch',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page) => {
      await press(page, /Switch application$/)
      await page.getByRole('menuitem', { name: 'Rent collector' }).waitFor()
    },
  },
  { name: 'sign-in-needed', viewer: 'visitor', path: '/applications' },
  {
    name: 'application-foreign',
    viewer: 'newcomer',
    path: busy(),
    answers: ['404 /api/applications/*'],
  },
  {
    name: 'application-suspended',
    viewer: 'developer',
    path: ({ applications }) => `/applications/${applications.suspended}`,
  },
]
