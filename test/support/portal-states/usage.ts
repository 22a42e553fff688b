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
      await page.getByRole('combobox', { name: 'Operation' }).selectOption('listAccounts')
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
      await page.getByRole('button', { name: /\/v1/ }).first().click()
      await page.getByRole('dialog').getByText('The bank responded').waitFor()
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
      await page
        .getByLabel('How the customer approves')
        .selectOption({ label: 'In the bank’s app (decoupled)' })
      await page.getByLabel('Customer who approves').waitFor()
      await press(page, 'Send call')
      await page.getByRole('heading', { name: 'Response' }).waitFor()
    },
    isPictured: true,
  },
]
