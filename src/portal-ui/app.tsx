import './mantine.css'
import './fonts.css'
import './app.css'
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useLayoutEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { languageFacts } from '../messages/language.ts'
import { rememberPublished } from './api/catalogue.ts'
import { createQueryClient } from './api/query-client.ts'
import { sessionKey } from './api/session.ts'
import type { Boot } from './boot.ts'
import { Slow } from './components/slow.tsx'
import { FactsContext } from './facts.tsx'
import { ErrorBoundary } from './layout/error-boundary.tsx'
import { Frame } from './layout/frame.tsx'
import { GatewayBanner } from './layout/gateway-banner.tsx'
import { LoadingRouter } from './layout/loading-router.tsx'
import { NavigationProvider } from './layout/navigation.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { ProofHost } from './layout/proof-host.tsx'
import { RequireSession } from './layout/require-session.tsx'
import { Shell } from './layout/shell.tsx'
import { routes } from './routes.ts'
import { cssVariablesWith, themeWith, tideOf } from './theme.ts'
import { pageLanguage } from './words.ts'

const colorSchemeManager = localStorageColorSchemeManager({ key: 'colour-scheme' })

export interface AppProps {
  readonly boot: Boot
  readonly styleNonce: string
}

/** The whole app: providers for every page, and which page shows at which path. */
export function App({ boot, styleNonce }: AppProps) {
  const [queryClient] = useState(() => {
    const client = createQueryClient()
    if (!boot.carriesSession) client.setQueryData(sessionKey, null)
    rememberPublished(client, boot)
    return client
  })
  const tide = tideOf(boot.facts.brand.accent)
  // The skeleton disappears in the same frame in which the page appears.
  useLayoutEffect(() => document.getElementById('skeleton')?.remove(), [])
  return (
    <DirectionProvider
      detectDirection={false}
      initialDirection={languageFacts[pageLanguage()].direction}
    >
      <MantineProvider
        theme={themeWith(tide)}
        cssVariablesResolver={cssVariablesWith(tide)}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
      >
        <QueryClientProvider client={queryClient}>
          <FactsContext value={boot.facts}>
            <LoadingRouter>
              <NavigationProvider>
                <Shell>
                  <Pages />
                </Shell>
                <ProofHost />
              </NavigationProvider>
            </LoadingRouter>
          </FactsContext>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  )
}

function Pages() {
  const [path] = useLocation()
  return (
    <ErrorBoundary resetKey={path}>
      <Suspense
        fallback={
          <Frame>
            <Slow />
          </Frame>
        }
      >
        <Switch>
          {routes.map(({ path, page: { Page }, audience, watchesGateway }) => (
            <Route key={path} path={path}>
              {watchesGateway === true ? <GatewayBanner /> : null}
              {audience === undefined ? (
                <Page />
              ) : (
                <RequireSession operatorsOnly={audience === 'operator'}>
                  <Page />
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
