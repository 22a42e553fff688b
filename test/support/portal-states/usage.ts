import { chooseOperation } from '../choose-operation.ts'
import type { PageState } from './page-state.ts'
import { busy, fresh, named, press } from './steps.ts'

/** Usage and calls of an application, and the playground that makes them. */
export const usageStates: readonly PageState[] = [
  { name: 'usage-empty', viewer: 'newcomer', path: fresh('/usage') },
  { name: 'calls-empty', viewer: 'newcomer', path: fresh('/calls') },
  { name: 'try-empty', viewer: 'newcomer', path: fresh('/playground') },
  {
    name: 'usage',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page, _world, { t }) => {
      await page.getByText(t('limit.usedUp')).waitFor()
      await page.locator('svg[role="img"]').first().waitFor()
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
      await page.getByText('Daily figures').click()
    },
  },
  {
    name: 'usage-operation',
    viewer: 'developer',
    path: busy('/usage'),
    prepare: async (page, _world, { t }) => {
      await page.getByRole('combobox', { name: t('calls.operation') }).selectOption('listAccounts')
      await page.locator('svg rect').last().hover()
    },
    isPictured: true,
  },
  {
    name: 'calls',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: (page, _world, { t }) => page.getByRole('region', { name: t('calls.list') }).waitFor(),
    isPictured: true,
  },
  {
    name: 'calls-none-fit',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await page.getByLabel('Status').selectOption('5xx')
      await page.getByText('No matching calls').waitFor()
    },
  },
  {
    name: 'call-refused',
    viewer: 'developer',
    path: ({ refusedCall }) => `/r/${refusedCall}`,
    prepare: (page, _world, { t }) =>
      page.getByRole('dialog').getByText(t('story.state.failed')).waitFor(),
    isPictured: true,
  },
  {
    name: 'call-as-code',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page) => {
      await page.getByLabel('Status').selectOption('2xx')
      await page.getByRole('button', { name: /\/v1/ }).first().click()
      await page.getByRole('dialog').getByText('As code').click()
      await page.getByRole('dialog').getByText('uuidgen').first().waitFor()
    },
  },
  {
    name: 'call-answered',
    viewer: 'developer',
    path: busy('/calls'),
    prepare: async (page, _world, { t }) => {
      await page.getByLabel(t('calls.status')).selectOption('2xx')
      await page.getByRole('button', { name: /\/v1/ }).first().click()
      await page.getByRole('dialog').getByText(t('calls.outcome.forwarded')).first().waitFor()
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
    prepare: async (page, _world, { t }) => {
      const versions = page.getByLabel(t('playground.version'))
      const option = versions.locator('option', { hasText: '1.7.0' })
      await versions.selectOption((await option.getAttribute('value')) ?? '')
      await chooseOperation(page, 'createConsent', t('playground.operation'))
      await page
        .getByLabel(t('playground.approval'))
        .selectOption({ label: t('playground.approvalDecoupled') })
      await page.getByLabel(t('playground.customer')).waitFor()
      await press(page, t('playground.send'))
      await page.getByRole('heading', { name: t('answer.title') }).waitFor()
    },
    isPictured: true,
  },
  {
    name: 'try-drill',
    viewer: 'developer',
    path: busy('/playground'),
    answers: ['429 /v1.7.0/accounts'],
    prepare: async (page, _world, { t }) => {
      const versions = page.getByLabel(t('playground.version'))
      const option = versions.locator('option', { hasText: '1.7.0' })
      await versions.selectOption((await option.getAttribute('value')) ?? '')
      await chooseOperation(page, 'listAccounts', t('playground.operation'))
      await page.getByRole('combobox', { name: /Consent-ID/ }).fill(crypto.randomUUID())
      await page.keyboard.press('Escape')
      await page.getByLabel(t('playground.drill'), { exact: true }).selectOption('429')
      await press(page, t('playground.send'))
      await page.getByText('429 Too Many Requests').waitFor()
    },
    isPictured: true,
  },
]
