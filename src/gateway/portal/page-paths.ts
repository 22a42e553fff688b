/**
 * Every path the page itself draws, in the syntax of its router. The server
 * answers these with the page and any other path with 404; the page builds its
 * routes from the same names.
 */
export const pagePaths = {
  landing: '/',
  apiVersion: '/apis/:api/:version',
  apiDiff: '/apis/:api/diff',
  signUp: '/sign-up',
  verify: '/verify',
  signIn: '/sign-in',
  reset: '/reset',
  resetConfirm: '/reset/confirm',
  confirmEmail: '/confirm-email',
  optOut: '/mails/opt-out',
  applications: '/applications',
  application: '/applications/:id',
  applicationTab: '/applications/:id/:tab',
  profile: '/profile',
  operator: '/operator',
  operatorSection: '/operator/:section',
  operatorApplication: '/operator/applications/:id',
} as const

/** Tabs of an application's page; the first one needs no name in the path. */
export const applicationTabs = ['keys', 'subscriptions', 'usage', 'calls', 'try'] as const

/** Sections of the operator's pages; the first one needs no name in the path. */
export const operatorSections = [
  'developers',
  'applications',
  'refusals',
  'sign-up',
  'audit',
] as const
