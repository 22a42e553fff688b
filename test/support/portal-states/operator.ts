import { quiet } from '../quiet-page.ts'
import type { PageState } from './page-state.ts'
import { dialogOf, menuDialogOf, named, press } from './steps.ts'

/** Pages of the operator. */
export const operatorStates: readonly PageState[] = [
  {
    name: 'operator-requests',
    viewer: 'operator',
    path: '/operator/requests',
    prepare: (page, _world, { t }) =>
      page
        .getByRole('button', { name: t('requests.grant') })
        .first()
        .waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-overview',
    viewer: 'operator',
    path: '/operator',
    prepare: (page, _world, { t }) => page.getByText(t('overview.byHour')).first().waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-call',
    viewer: 'operator',
    path: ({ refusedCall }) => `/r/${refusedCall}`,
    prepare: (page, _world, { t }) => page.getByText(t('story.state.failed')).waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-versions',
    viewer: 'operator',
    path: '/operator/versions',
    prepare: (page) => page.getByRole('table').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-plans',
    viewer: 'operator',
    path: '/operator/plans',
    prepare: (page) => page.getByRole('table').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-developers',
    viewer: 'operator',
    path: '/operator/developers',
    prepare: (page) => page.getByText('Mei Lin').waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-developers-none',
    viewer: 'operator',
    path: '/operator/developers?search=nobody-is-called-so',
    prepare: (page) => page.getByText('No developer found').waitFor(),
  },
  {
    name: 'operator-suspend',
    viewer: 'operator',
    path: '/operator/developers',
    prepare: menuDialogOf('Actions for Ada Lovelace', 'Suspend Ada Lovelace'),
  },
  {
    name: 'operator-applications',
    viewer: 'operator',
    path: '/operator/applications',
    prepare: (page) => page.getByText('Rent collector').waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-application',
    viewer: 'operator',
    path: ({ applications }) => `/operator/applications/${applications.busy}`,
    prepare: (page) => page.getByText('500').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-override-invalid',
    viewer: 'operator',
    path: ({ applications }) => `/operator/applications/${applications.busy}`,
    answers: ['400 /api/operator/applications/*/overrides'],
    prepare: async (page) => {
      await press(page, 'Override a limit')
      await named(page, 'textbox', 'Calls').fill('many')
      await page.getByLabel('Until').fill('2099-01-01T12:00')
      await named(page, 'textbox', 'Reason').fill('Load test before the launch')
      await press(page, 'Override limit')
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'operator-override-missing',
    viewer: 'operator',
    path: ({ applications }) => `/operator/applications/${applications.busy}`,
    prepare: async (page) => {
      await press(page, 'Override a limit')
      await press(page, 'Override limit')
      await page.locator('[aria-invalid="true"]').nth(1).waitFor()
    },
  },
  {
    name: 'operator-override-end',
    viewer: 'operator',
    path: ({ applications }) => `/operator/applications/${applications.busy}`,
    prepare: dialogOf(/^End the override/),
  },
  {
    name: 'operator-application-empty',
    viewer: 'operator',
    path: ({ applications }) => `/operator/applications/${applications.fresh}`,
    prepare: (page) => page.getByText('No overrides').waitFor(),
  },
  {
    name: 'operator-refusals',
    viewer: 'operator',
    path: '/operator/refusals',
    prepare: async (page, _world, { t }) => {
      await page.getByText(t('refusals.720'), { exact: true }).click()
      await page.getByRole('table').waitFor()
    },
    isPictured: true,
  },
  {
    name: 'operator-top-applications',
    viewer: 'operator',
    path: '/operator/top-applications',
    // By its title, as everywhere else.
    prepare: (page) =>
      page
        .getByRole('table')
        .first()
        .getByText(/ 1\.7\.0$/)
        .first()
        .waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-availability',
    viewer: 'operator',
    path: '/operator/availability',
    prepare: (page) => page.getByRole('table').first().waitFor(),
    isPictured: true,
  },
  { name: 'operator-sign-up', viewer: 'operator', path: '/operator/sign-up', isPictured: true },
  {
    name: 'operator-audit',
    viewer: 'operator',
    path: '/operator/audit',
    prepare: (page) => page.getByText('Laptop (lost)').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-security-events',
    viewer: 'operator',
    path: '/operator/security-events?reads=yes',
    prepare: async (page) => {
      // Each view is an event, which the next one shows.
      while ((await page.locator('code', { hasText: 'operator.read' }).count()) === 0) {
        await page.reload()
        await quiet(page)
      }
    },
    isPictured: true,
  },
  {
    name: 'operator-security-events-none',
    viewer: 'operator',
    path: '/operator/security-events?event=audit.broken&from=2026-01-01T00:00:00.000Z',
    prepare: (page) => page.getByText('No matching events').waitFor(),
  },
  {
    name: 'operator-hidden',
    viewer: 'developer',
    path: '/operator/developers',
    prepare: (page) => page.getByText('Page not found').first().waitFor(),
  },
]
