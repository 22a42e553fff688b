import type { PageState } from './page-state.ts'
import { named, press } from './steps.ts'

/** Token of a link that was never sent. */
const token = 'A'.repeat(43)

/** Signing up, signing in, and what the links in mails open. */
export const accountStates: readonly PageState[] = [
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
    prepare: async (page, _world, { t }) => {
      await named(page, 'textbox', t('account.email')).fill('new.developer@example.com')
      await named(page, 'textbox', t('account.name')).fill('Somebody')
      await page.locator('form button[type="submit"]').click()
      await page.getByRole('heading', { name: t('mailSent.title') }).waitFor()
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
    prepare: async (page, _world, { t }) => {
      await named(page, 'textbox', t('account.email')).fill('ada@lovelace.example')
      await page.getByLabel(t('account.password'), { exact: true }).fill('not the password')
      await page.locator('form button[type="submit"]').click()
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
    prepare: (page, _world, { t }) => page.getByRole('img', { name: t('factor.qr') }).waitFor(),
    isPictured: true,
  },
  {
    name: 'enrol-used',
    viewer: 'visitor',
    path: `/enrol#token=${token}`,
    answers: ['400 /api/enrolments'],
    prepare: (page) => page.getByText('was already used or has expired').waitFor(),
  },
  {
    name: 'opt-out',
    viewer: 'visitor',
    path: ({ optOut }) => `/mails/opt-out#token=${optOut}`,
    prepare: (page) => page.getByText('a…@lovelace.example').waitFor(),
    isPictured: true,
  },
]
