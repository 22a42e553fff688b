import type { Page } from 'playwright-core'
import { languageCookie } from '../../src/messages/language.ts'
import { type Look, showAs } from './browser.ts'
import { chooseOperation } from './choose-operation.ts'
import type { PortalWorld, Viewer } from './portal-world.ts'

/** One page in one state worth looking at. */
export interface PageState {
  /** Also the name of its picture. */
  readonly name: string
  readonly viewer: Viewer
  readonly path: string | ((world: PortalWorld) => string)
  /** Brings the page from its beginning into the state; ends when it is there. */
  readonly prepare?: (page: Page, world: PortalWorld) => Promise<unknown>
  /** Answers of 400 and above it causes, as a visit expects them. */
  readonly answers?: readonly string[]
  /** Whether it stays light or dark as it began. */
  readonly keepsScheme?: boolean
  /** Whether documentation shows it. */
  readonly isPictured?: boolean
}

const named = (page: Page, role: 'button' | 'textbox' | 'heading', name: string | RegExp) =>
  page.getByRole(role, { name, exact: true })

const press = (page: Page, name: string | RegExp) => named(page, 'button', name).first().click()

const dialogOf = (name: string | RegExp) => async (page: Page) => {
  await press(page, name)
  await page.getByRole('dialog').waitFor()
}

const menuDialogOf = (menu: string, item: string) => async (page: Page) => {
  await press(page, menu)
  await page.getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}

const busy =
  (tab = '') =>
  (world: PortalWorld) =>
    `/applications/${world.applications.busy}${tab}`
const fresh =
  (tab = '') =>
  (world: PortalWorld) =>
    `/applications/${world.applications.fresh}${tab}`

const published: readonly PageState[] = [
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
      await page.getByRole('heading', { name: 'Initiate a payment' }).waitFor()
      await page.getByText('endToEndIdentification').first().waitFor()
    },
    isPictured: true,
  },
  {
    name: 'version-changes',
    viewer: 'visitor',
    path: '/apis/xs2a/1.7.0/changes',
    prepare: (page) => page.getByText('Removed in 1.7.0').waitFor(),
    isPictured: true,
  },
  { name: 'version-plans', viewer: 'visitor', path: '/apis/xs2a/1.7.0/plans', isPictured: true },
  { name: 'version-of-developer', viewer: 'developer', path: '/apis/mandate/1.0.0' },
  { name: 'landing-of-developer', viewer: 'developer', path: '/' },
  {
    name: 'sandbox',
    viewer: 'visitor',
    path: '/sandbox',
    prepare: (page) => page.getByRole('heading', { name: 'Noa Levi' }).waitFor(),
    isPictured: true,
  },
  {
    name: 'sandbox-return',
    viewer: 'visitor',
    path: '/sandbox/return?outcome=approved&consentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721',
    isPictured: true,
  },
  {
    name: 'sandbox-return-refused',
    viewer: 'visitor',
    path: '/sandbox/return?outcome=refused&paymentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721',
  },
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
]

const token = 'A'.repeat(43)

const account: readonly PageState[] = [
  { name: 'sign-up', viewer: 'visitor', path: '/sign-up', isPictured: true },
  {
    name: 'sign-up-missing',
    viewer: 'visitor',
    path: '/sign-up',
    prepare: async (page) => {
      await page.locator('form').getByRole('button', { name: 'Sign up' }).click()
      await page.locator('[aria-invalid="true"]').first().waitFor()
    },
  },
  {
    name: 'sign-up-invalid',
    viewer: 'visitor',
    path: '/sign-up',
    answers: ['400 /api/developers'],
    prepare: async (page) => {
      await named(page, 'textbox', 'Email').fill('ада@example.com')
      await named(page, 'textbox', 'Name').fill('Ada')
      await page.locator('form').getByRole('button', { name: 'Sign up' }).click()
      await page.locator('[aria-invalid="true"]').first().waitFor()
    },
  },
  {
    name: 'sign-up-sent',
    viewer: 'visitor',
    path: '/sign-up',
    prepare: async (page) => {
      await named(page, 'textbox', 'Email').fill('new.developer@example.com')
      await named(page, 'textbox', 'Name').fill('Somebody')
      await page.locator('form').getByRole('button', { name: 'Sign up' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    },
    isPictured: true,
  },
  { name: 'verify', viewer: 'visitor', path: `/verify#token=${token}`, isPictured: true },
  {
    name: 'mailbox',
    viewer: 'visitor',
    path: '/mailbox',
    prepare: async (page) => {
      await page.getByRole('article').waitFor()
      await page.locator('details summary').first().click()
    },
    isPictured: true,
  },
  {
    name: 'verify-short',
    viewer: 'visitor',
    path: `/verify#token=${token}`,
    answers: ['400 /api/developers/verify'],
    prepare: async (page) => {
      await page.getByLabel('New password', { exact: true }).fill('too short')
      await press(page, 'Set the password')
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'verify-used',
    viewer: 'visitor',
    path: `/verify#token=${token}`,
    answers: ['400 /api/developers/verify'],
    prepare: async (page) => {
      await page.getByLabel('New password', { exact: true }).fill('a long enough password of words')
      await press(page, 'Set the password')
      await page.getByText('was already used or has expired').waitFor()
    },
  },
  { name: 'sign-in', viewer: 'visitor', path: '/sign-in', isPictured: true },
  {
    name: 'sign-in-wrong',
    viewer: 'visitor',
    path: '/sign-in?next=%2Fprofile',
    answers: ['401 /api/session'],
    prepare: async (page) => {
      await named(page, 'textbox', 'Email').fill('ada@lovelace.example')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.locator('form').getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
    },
    isPictured: true,
  },
  { name: 'reset', viewer: 'visitor', path: '/reset', isPictured: true },
  {
    name: 'reset-sent',
    viewer: 'visitor',
    path: '/reset',
    prepare: async (page) => {
      await named(page, 'textbox', 'Email').fill('grace@hopper.example')
      await press(page, 'Send the link')
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    },
  },
  {
    name: 'reset-confirm',
    viewer: 'visitor',
    path: `/reset/confirm#token=${token}`,
    isPictured: true,
  },
  {
    name: 'confirm-email',
    viewer: 'visitor',
    path: `/confirm-email#token=${token}`,
    isPictured: true,
  },
  { name: 'confirm-email-incomplete', viewer: 'visitor', path: '/confirm-email' },
  {
    name: 'enrol',
    viewer: 'visitor',
    path: ({ enrolment }) => `/enrol#token=${enrolment}`,
    prepare: (page) => page.getByRole('img', { name: /^QR code/ }).waitFor(),
    isPictured: true,
  },
  {
    name: 'enrol-used',
    viewer: 'visitor',
    path: `/enrol#token=${token}`,
    answers: ['400 /api/enrolments'],
    prepare: (page) => page.getByText('was already used or has expired').waitFor(),
  },
  { name: 'opt-out', viewer: 'visitor', path: `/mails/opt-out#token=${token}`, isPictured: true },
]

const applications: readonly PageState[] = [
  { name: 'applications', viewer: 'developer', path: '/applications', isPictured: true },
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
  { name: 'keys-empty', viewer: 'newcomer', path: fresh('/keys') },
  {
    name: 'overview',
    viewer: 'developer',
    path: busy(),
    prepare: async (page) => {
      await page.getByRole('img', { name: /^In the last 24 hours: / }).waitFor()
      await page.getByRole('progressbar').first().waitFor()
      await page.getByText('/v1.7.0/consents/{consentId}/status').first().waitFor()
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
  {
    name: 'subscriptions-empty',
    viewer: 'newcomer',
    path: fresh('/subscriptions'),
    prepare: (page) => named(page, 'button', 'Subscribe and create a key').waitFor(),
    isPictured: true,
  },
  { name: 'usage-empty', viewer: 'newcomer', path: fresh('/usage') },
  { name: 'calls-empty', viewer: 'newcomer', path: fresh('/calls') },
  { name: 'try-empty', viewer: 'newcomer', path: fresh('/playground') },
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
  {
    name: 'application-alerts',
    viewer: 'developer',
    path: busy('/alerts'),
    prepare: (page) => named(page, 'heading', 'Check a signature').waitFor(),
    isPictured: true,
  },
  {
    name: 'webhook-secret',
    viewer: 'developer',
    path: busy('/alerts'),
    prepare: async (page) => {
      await page.getByLabel('Address').fill('http://127.0.0.1:9/hook')
      await press(page, /^(Add webhook|Save and make a new secret)$/)
      await page.getByText('Copy the secret now').waitFor()
      await press(page, 'Send a test event')
      await page.getByRole('button', { name: 'Send again' }).first().waitFor()
    },
  },
  {
    name: 'application-settings',
    viewer: 'developer',
    path: busy('/settings'),
    prepare: (page) => page.getByText('No certificates yet').waitFor(),
    isPictured: true,
  },
  {
    name: 'redirect-origins-invalid',
    viewer: 'developer',
    path: busy('/settings'),
    answers: ['400 /api/applications/*'],
    prepare: async (page) => {
      await page.getByLabel('Origins').fill('http://app.example')
      await press(page, 'Save origins')
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'certificate-add',
    viewer: 'developer',
    path: busy('/settings'),
    prepare: async (page) => {
      await press(page, 'Add certificate')
      await press(page, 'Add certificate')
      await page.locator('[aria-invalid="true"]').nth(1).waitFor()
    },
  },
  {
    name: 'certificates-made',
    viewer: 'newcomer',
    path: fresh('/settings'),
    prepare: async (page) => {
      await press(page, 'Create test certificates')
      await page.getByText('Save these files now').waitFor()
      await page.getByRole('list', { name: 'Certificates' }).waitFor()
    },
  },
  {
    name: 'signed-calls-question',
    viewer: 'developer',
    path: busy('/settings'),
    prepare: async (page) => {
      await page.getByLabel('Signed calls only').click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'application-delete',
    viewer: 'developer',
    path: busy('/settings'),
    prepare: dialogOf('Delete …'),
    isPictured: true,
  },
  {
    name: 'subscriptions',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: (page) => named(page, 'button', 'End subscription').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'subscription-end',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: dialogOf('End subscription'),
  },
  {
    name: 'more-calls',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: dialogOf('Ask for more calls'),
    isPictured: true,
  },
  { name: 'operator-requests', viewer: 'operator', path: '/operator/requests', isPictured: true },
  {
    name: 'move',
    viewer: 'developer',
    path: busy('/subscriptions'),
    prepare: async (page) => {
      await page.locator('summary').filter({ hasText: '1.6.0' }).first().click()
      await page.locator('a[href*="/move/"]').first().click()
      await page.locator('h2').first().waitFor()
    },
    isPictured: true,
  },
  {
    name: 'usage',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page) => {
      await page.getByText('Used up: calls get 429.').waitFor()
      await page.getByRole('img', { name: /^In the last 24 hours: / }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'usage-month',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page) => {
      await page.getByText('30 days', { exact: true }).click()
      await page.getByRole('img', { name: /^In the last 30 days: / }).waitFor()
      await page.getByText('Numbers by day').click()
    },
  },
  {
    name: 'usage-operation',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page) => {
      await page.getByLabel('Operation').selectOption('listAccounts')
      await page.locator('svg rect').last().hover()
    },
    isPictured: true,
  },
  {
    name: 'calls',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: (page) => page.getByRole('region', { name: 'Calls, newest first' }).waitFor(),
    isPictured: true,
  },
  {
    name: 'calls-none-fit',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await page.getByLabel('Status').selectOption('5xx')
      await page.getByText('No call fits').waitFor()
    },
  },
  {
    name: 'call-refused',
    viewer: 'developer',
    path: ({ refusedCall }) => `/r/${refusedCall}`,
    prepare: (page) => page.getByRole('dialog').getByText('stopped here').waitFor(),
    isPictured: true,
  },
  {
    name: 'call-answered',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await page.getByLabel('Status').selectOption('2xx')
      await page.getByRole('button', { name: /^\/v1/ }).first().click()
      await page.getByRole('dialog').getByText('The bank answered').waitFor()
    },
    isPictured: true,
  },
  {
    name: 'call-unknown',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await named(page, 'textbox', 'Request ID').fill('99391c7e-ad88-49ec-a2ad-99ddcb1f7721')
      await press(page, 'Look up')
      await page.getByText('There is no record of this request ID').waitFor()
    },
  },
  {
    name: 'call-malformed',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await named(page, 'textbox', 'Request ID').fill('abc')
      await press(page, 'Look up')
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'try',
    viewer: 'developer',
    path: busy('/playground'),
    prepare: async (page, { key }) => {
      const versions = page.getByLabel('API version')
      const option = versions.locator('option', { hasText: '1.7.0' })
      await versions.selectOption((await option.getAttribute('value')) ?? '')
      await chooseOperation(page, 'createConsent')
      await page.getByRole('textbox', { name: /^API key/ }).fill(key)
      await press(page, 'Send call')
      await page.getByRole('heading', { name: 'Response' }).waitFor()
    },
    isPictured: true,
  },
]

const own: readonly PageState[] = [
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
    prepare: async (page) => {
      await press(page, 'Add an authenticator app')
      await page.getByRole('img', { name: /^QR code/ }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'account-delete',
    viewer: 'developer',
    path: '/profile',
    prepare: dialogOf('Delete account …'),
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

const operated: readonly PageState[] = [
  {
    name: 'operator-overview',
    viewer: 'operator',
    path: '/operator',
    prepare: (page) => page.getByText('Calls by hour').waitFor(),
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
    prepare: dialogOf('Suspend Ada Lovelace'),
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
    prepare: (page) => page.getByText('500 calls').waitFor(),
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
      await page.locator('[aria-invalid="true"]').nth(2).waitFor()
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
    prepare: async (page) => {
      await page.getByText('30 days', { exact: true }).click()
      await page.getByRole('table').waitFor()
    },
    isPictured: true,
  },
  { name: 'operator-sign-up', viewer: 'operator', path: '/operator/sign-up', isPictured: true },
  {
    name: 'operator-audit',
    viewer: 'operator',
    path: '/operator/audit',
    prepare: (page) =>
      page
        .getByText(/revoked the API key/)
        .first()
        .waitFor(),
    isPictured: true,
  },
  {
    name: 'operator-security-events',
    viewer: 'operator',
    path: '/operator/security-events',
    prepare: async (page) => {
      // Each view is an event, which the next one shows.
      while (!(await page.getByText('operator.read').first().isVisible())) {
        await page.reload()
        await page.waitForLoadState('networkidle')
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

/** Every page of the portal, in every state that looks different. */
export const portalStates: readonly PageState[] = [
  ...published,
  ...account,
  ...applications,
  ...own,
  ...operated,
]

/** Opens a state in a page of its viewer and waits until it stands still. */
export async function openState(page: Page, world: PortalWorld, state: PageState): Promise<void> {
  await openPath(page, world, state)
  await state.prepare?.(page, world)
  await page.waitForLoadState('networkidle')
}

/** Opens the page of a state in Hebrew, from right to left. Prepares nothing: the steps look for English words. */
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
  await page.waitForLoadState('networkidle')
}

/** The first state of each page, as somebody who may see it: the others differ only by steps. */
export function isFirstOfPage(state: PageState): boolean {
  const isSame = ({ viewer, path }: PageState) =>
    viewer === state.viewer && String(path) === String(state.path)
  return portalStates.find(isSame) === state
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

/** Shows an opened state as another system and window do. */
export async function showState(
  page: Page,
  world: PortalWorld,
  state: PageState,
  look: Look,
): Promise<void> {
  await showAs(page, look)
  if (state.keepsScheme === true) await openState(page, world, state)
}
