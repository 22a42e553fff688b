import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app.css'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { pagePaths } from '../gateway/portal/page-paths.ts'
import { createQueryClient } from './api/query-client.ts'
import { sessionKey } from './api/session.ts'
import type { Boot } from './boot.ts'
import { Slow } from './components/slow.tsx'
import { FactsContext } from './facts.tsx'
import { ErrorBoundary } from './layout/error-boundary.tsx'
import { GatewayBanner } from './layout/gateway-banner.tsx'
import { NavigationProvider } from './layout/navigation.tsx'
import { RequireSession } from './layout/require-session.tsx'
import { Shell } from './layout/shell.tsx'
import { NotFoundPage } from './pages/public/not-found-page.tsx'
import { cssVariablesResolver, theme } from './theme.ts'

interface PageRoute {
  readonly path: string
  readonly page: ComponentType
  readonly audience?: 'developer' | 'operator'
  /** Whether its reader is about to call the gateway. */
  readonly watchesGateway?: boolean
}

/** First match wins; a page with tabs is one route, so that it stays when the tab changes. */
const routes: readonly PageRoute[] = [
  {
    path: pagePaths.landing,
    page: lazy(() =>
      import('./pages/public/landing-page.tsx').then((m) => ({ default: m.LandingPage })),
    ),
  },
  {
    path: pagePaths.apiDiff,
    page: lazy(() => import('./pages/public/diff-page.tsx').then((m) => ({ default: m.DiffPage }))),
  },
  {
    path: pagePaths.apiVersion,
    page: lazy(() =>
      import('./pages/public/version-page.tsx').then((m) => ({ default: m.VersionPage })),
    ),
  },
  {
    path: pagePaths.signUp,
    page: lazy(() =>
      import('./pages/account/sign-up-page.tsx').then((m) => ({ default: m.SignUpPage })),
    ),
  },
  {
    path: pagePaths.verify,
    page: lazy(() =>
      import('./pages/account/verify-page.tsx').then((m) => ({ default: m.VerifyPage })),
    ),
  },
  {
    path: pagePaths.signIn,
    page: lazy(() =>
      import('./pages/account/sign-in-page.tsx').then((m) => ({ default: m.SignInPage })),
    ),
  },
  {
    path: pagePaths.reset,
    page: lazy(() =>
      import('./pages/account/reset-page.tsx').then((m) => ({ default: m.ResetPage })),
    ),
  },
  {
    path: pagePaths.resetConfirm,
    page: lazy(() =>
      import('./pages/account/reset-confirm-page.tsx').then((m) => ({
        default: m.ResetConfirmPage,
      })),
    ),
  },
  {
    path: pagePaths.confirmEmail,
    page: lazy(() =>
      import('./pages/account/confirm-email-page.tsx').then((m) => ({
        default: m.ConfirmEmailPage,
      })),
    ),
  },
  {
    path: pagePaths.optOut,
    page: lazy(() =>
      import('./pages/account/opt-out-page.tsx').then((m) => ({ default: m.OptOutPage })),
    ),
  },
  {
    path: pagePaths.applications,
    audience: 'developer',
    watchesGateway: true,
    page: lazy(() =>
      import('./pages/applications/applications-page.tsx').then((m) => ({
        default: m.ApplicationsPage,
      })),
    ),
  },
  {
    path: `${pagePaths.application}/:tab?`,
    audience: 'developer',
    watchesGateway: true,
    page: lazy(() =>
      import('./pages/applications/application-page.tsx').then((m) => ({
        default: m.ApplicationPage,
      })),
    ),
  },
  {
    path: pagePaths.profile,
    audience: 'developer',
    page: lazy(() =>
      import('./pages/profile/profile-page.tsx').then((m) => ({ default: m.ProfilePage })),
    ),
  },
  {
    path: pagePaths.operatorApplication,
    audience: 'operator',
    page: lazy(() =>
      import('./pages/operator/operator-application-page.tsx').then((m) => ({
        default: m.OperatorApplicationPage,
      })),
    ),
  },
  {
    path: `${pagePaths.operator}/:section?`,
    audience: 'operator',
    page: lazy(() =>
      import('./pages/operator/operator-page.tsx').then((m) => ({ default: m.OperatorPage })),
    ),
  },
]

const colorSchemeManager = localStorageColorSchemeManager({ key: 'colour-scheme' })

export interface AppProps {
  readonly boot: Boot
  readonly styleNonce: string
}

/** The whole page: what every page of it needs, and which shows at which path. */
export function App({ boot, styleNonce }: AppProps) {
  const [queryClient] = useState(() => {
    const client = createQueryClient()
    if (!boot.carriesSession) client.setQueryData(sessionKey, null)
    return client
  })
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <FactsContext value={boot.facts}>
          <NavigationProvider>
            <Notifications position="bottom-right" />
            <Shell>
              <Pages />
            </Shell>
          </NavigationProvider>
        </FactsContext>
      </QueryClientProvider>
    </MantineProvider>
  )
}

function Pages() {
  const [path] = useLocation()
  return (
    <ErrorBoundary resetKey={path}>
      <Suspense fallback={<Slow />}>
        <Switch>
          {routes.map(({ path, page: PageComponent, audience, watchesGateway }) => (
            <Route key={path} path={path}>
              {watchesGateway === true ? <GatewayBanner /> : null}
              {audience === undefined ? (
                <PageComponent />
              ) : (
                <RequireSession operatorsOnly={audience === 'operator'}>
                  <PageComponent />
                </RequireSession>
              )}
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}
