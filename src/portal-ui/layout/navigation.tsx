import { createContext, type ReactNode, useCallback, useContext, useRef } from 'react'
import { useLocation } from 'wouter'

const NavigationContext = createContext<() => boolean>(() => false)

/** Knows whether the page that shows is the one the document was opened with. */
export function NavigationProvider({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const first = useRef(path)
  const hasNavigated = useRef(false)
  if (path !== first.current) hasNavigated.current = true
  const read = useCallback(() => hasNavigated.current, [])
  return <NavigationContext value={read}>{children}</NavigationContext>
}

/** A function that says whether there was a navigation since the document was opened. */
export function useHasNavigated(): () => boolean {
  return useContext(NavigationContext)
}
