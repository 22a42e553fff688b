import { type ReactNode, useCallback, useRef } from 'react'
import { type AroundNavHandler, Router } from 'wouter'
import { pageAt } from '../routes.ts'

/** Leads from page to page: waits a moment for the script of the next one, so that the old one does not give way to nothing. */
export function LoadingRouter({ children }: { readonly children: ReactNode }) {
  const asked = useRef(0)
  const aroundNav = useCallback<AroundNavHandler>((navigate, to, options) => {
    asked.current += 1
    const own = asked.current
    const page = pageAt(to)
    if (page === undefined || page.isLoaded()) {
      navigate(to, options)
      return
    }
    void Promise.race([page.load(), patience()]).then(() => {
      // Somebody wanted to go elsewhere meanwhile.
      if (asked.current === own) navigate(to, options)
    })
  }, [])
  return <Router aroundNav={aroundNav}>{children}</Router>
}

/** Longer than this, and something has to say that the page is on its way. */
function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 300))
}
