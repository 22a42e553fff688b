// The folder `pages/` has the pages, which this table lists with their paths. It has a folder for each area of the
// portal: `public/` for visitors, `account/` for signing up and in, `profile/` for the own account, `applications/` with
// its tabs for developers, `operator/` for operators, and `guides/` and `mailbox/`. A page fetches through `api/`;
// `components/` are its parts, and `layout/` surrounds it. An area imports nothing of another one, because the build
// makes one script for each.

import { pagePaths } from '../portal/pages/page-paths.ts'
import { type LazyPage, lazyPage } from './lazy-page.tsx'
import { LandingPage } from './pages/public/landing-page.tsx'

/** A page and its path. */
export interface PageRoute {
  /** In the syntax of the router. */
  readonly path: string
  readonly page: LazyPage
  /** The role that may see the page; absent for public pages. */
  readonly audience?: 'developer' | 'operator'
  /** Whether the page warns while the gateway does not answer. */
  readonly watchesGateway?: boolean
}

/** The first match wins. A page with tabs is one route, so that it stays mounted when the tab changes. */
export const routes: readonly PageRoute[] = [
  {
    path: pagePaths.landing,
    // In the main script: most visitors come here first.
    page: lazyPage(async () => ({ LandingPage }), 'LandingPage'),
  },
  {
    path: pagePaths.apiDiff,
    page: lazyPage(() => import('./pages/public/diff-page.tsx'), 'DiffPage'),
  },
  {
    path: `${pagePaths.apiVersion}/:tab?`,
    page: lazyPage(() => import('./pages/public/version-page.tsx'), 'VersionPage'),
  },
  {
    path: pagePaths.guides,
    page: lazyPage(() => import('./pages/guides/guides-page.tsx'), 'GuidesPage'),
  },
  {
    path: pagePaths.guide,
    page: lazyPage(() => import('./pages/guides/guide-page.tsx'), 'GuidePage'),
  },
  {
    path: pagePaths.sandboxReturn,
    page: lazyPage(() => import('./pages/public/sandbox-return-page.tsx'), 'SandboxReturnPage'),
  },
  {
    path: pagePaths.sandbox,
    page: lazyPage(() => import('./pages/public/sandbox-page.tsx'), 'SandboxPage'),
  },
  {
    path: pagePaths.signUp,
    page: lazyPage(() => import('./pages/account/sign-up-page.tsx'), 'SignUpPage'),
  },
  {
    path: pagePaths.verify,
    page: lazyPage(() => import('./pages/account/verify-page.tsx'), 'VerifyPage'),
  },
  {
    path: pagePaths.signIn,
    page: lazyPage(() => import('./pages/account/sign-in-page.tsx'), 'SignInPage'),
  },
  {
    path: pagePaths.reset,
    page: lazyPage(() => import('./pages/account/reset-page.tsx'), 'ResetPage'),
  },
  {
    path: pagePaths.resetConfirm,
    page: lazyPage(() => import('./pages/account/reset-confirm-page.tsx'), 'ResetConfirmPage'),
  },
  {
    path: pagePaths.confirmEmail,
    page: lazyPage(() => import('./pages/account/confirm-email-page.tsx'), 'ConfirmEmailPage'),
  },
  {
    path: pagePaths.enrol,
    page: lazyPage(() => import('./pages/account/enrol-page.tsx'), 'EnrolPage'),
  },
  {
    path: pagePaths.optOut,
    page: lazyPage(() => import('./pages/account/opt-out-page.tsx'), 'OptOutPage'),
  },
  {
    path: pagePaths.mailbox,
    page: lazyPage(() => import('./pages/mailbox/mailbox-page.tsx'), 'MailboxPage'),
  },
  {
    path: pagePaths.applications,
    audience: 'developer',
    watchesGateway: true,
    page: lazyPage(() => import('./pages/applications/applications-page.tsx'), 'ApplicationsPage'),
  },
  {
    path: pagePaths.moveSubscription,
    audience: 'developer',
    page: lazyPage(() => import('./pages/applications/limits/move-page.tsx'), 'MovePage'),
  },
  {
    path: `${pagePaths.application}/:tab?`,
    audience: 'developer',
    watchesGateway: true,
    page: lazyPage(() => import('./pages/applications/application-page.tsx'), 'ApplicationPage'),
  },
  {
    path: pagePaths.callRecord,
    audience: 'developer',
    page: lazyPage(
      () => import('./pages/applications/calls/call-record-page.tsx'),
      'CallRecordPage',
    ),
  },
  {
    path: pagePaths.profile,
    audience: 'developer',
    page: lazyPage(() => import('./pages/profile/profile-page.tsx'), 'ProfilePage'),
  },
  {
    path: pagePaths.operatorApplication,
    audience: 'operator',
    page: lazyPage(
      () => import('./pages/operator/operator-application-page.tsx'),
      'OperatorApplicationPage',
    ),
  },
  {
    path: `${pagePaths.operator}/:section?`,
    audience: 'operator',
    page: lazyPage(() => import('./pages/operator/operator-page.tsx'), 'OperatorPage'),
  },
]

const expressions = routes.map(({ path, page }) => {
  const pattern = path.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+')
  return { expression: new RegExp(`^${pattern}/?$`, 'i'), page }
})

/** The page at an address of the portal, with or without query; undefined for an unknown address. */
export function pageAt(address: string): LazyPage | undefined {
  const { pathname } = new URL(address, window.location.href)
  return expressions.find(({ expression }) => expression.test(pathname))?.page
}
