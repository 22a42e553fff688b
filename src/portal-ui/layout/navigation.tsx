import { createContext, type ReactNode, useCallback, useContext, useRef } from 'react'
import { useLocation } from 'wouter'

const NavigationContext = createContext<() => boolean>(() => false)

/** Tracks whether the page on screen is the one with which the document was opened. */
export function NavigationProvider({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  const first = useRef(path)
  const hasNavigated = useRef(false)
  if (path !== first.current) hasNavigated.current = true
  const read = useCallback(() => hasNavigated.current, [])
  return <NavigationContext value={read}>{children}</NavigationContext>
}

/** A function that returns whether the reader has navigated since the document was opened. */
export function useHasNavigated(): () => boolean {
  return useContext(NavigationContext)
}
