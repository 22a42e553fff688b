import { type ReactNode, useCallback, useRef } from 'react'
import { type AroundNavHandler, Router } from 'wouter'
import { pageAt } from '../routes.ts'
import { asksBeforeLeaving } from './leaving.ts'

/**
 * Navigates between pages. Waits a moment for the script of the next page, so that the old page is not replaced by an empty
 * one, and lets a page ask before the reader leaves it.
 */
export function LoadingRouter({ children }: { readonly children: ReactNode }) {
  const asked = useRef(0)
  const load = useCallback<AroundNavHandler>((navigate, to, options) => {
    asked.current += 1
    const own = asked.current
    const page = pageAt(to)
    if (page === undefined || page.isLoaded()) {
      navigate(to, options)
      return
    }
    void Promise.race([page.load(), patience()]).then(() => {
      // A later navigation has replaced this one.
      if (asked.current === own) navigate(to, options)
    })
  }, [])
  const aroundNav = useCallback<AroundNavHandler>(
    (navigate, to, options) => {
      const go = () => load(navigate, to, options)
      // A page that redirects has nothing left to keep.
      if (options?.replace === true || !asksBeforeLeaving(to, go)) go()
    },
    [load],
  )
  return <Router aroundNav={aroundNav}>{children}</Router>
}

/** After this time the page shows that it is loading. */
function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 300))
}
