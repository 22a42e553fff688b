import type { PageState } from './page-state.ts'
import { busy, dialogOf, fresh, named, press } from './steps.ts'

/** Alerts and settings of an application. */
export const settingsStates: readonly PageState[] = [
  {
    name: 'application-alerts',
    viewer: 'developer',
    path: busy('/alerts'),
    prepare: (page, _world, { t }) => named(page, 'heading', t('webhook.verify')).waitFor(),
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
    prepare: (page, _world, { t }) => page.getByText(t('certificates.noneYet')).waitFor(),
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
    prepare: (page, _world, { t }) => dialogOf(t('settings.deleteOpen'))(page),
    isPictured: true,
  },
]
