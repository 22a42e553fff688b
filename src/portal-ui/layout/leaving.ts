import { useCallback, useLayoutEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'

interface Guard {
  readonly isWithin: LeaveQuestionOptions['isWithin']
  /** The address of the page, without its fragment. */
  readonly here: string
  readonly ask: (leave: () => void) => void
}

let guard: Guard | undefined

/**
 * Lets a page ask before the buttons of the browser lead away from it. Call it once, before the router listens: the first
 * listener is called first.
 */
export function watchHistory(): void {
  let isLeaving = false
  window.addEventListener('popstate', (event) => {
    if (guard === undefined || isLeaving || guard.isWithin(window.location.pathname)) {
      isLeaving = false
      return
    }
    // The browser is there already: the router must not follow, and the address comes back.
    event.stopImmediatePropagation()
    window.history.pushState(null, '', guard.here)
    guard.ask(() => {
      isLeaving = true
      window.history.back()
    })
  })
}

/**
 * Whether the page on screen asks before the reader leaves it for that address; `leave` then runs once the reader confirms.
 */
export function asksBeforeLeaving(address: string, leave: () => void): boolean {
  const { pathname } = new URL(address, window.location.href)
  if (guard === undefined || guard.isWithin(pathname)) return false
  guard.ask(leave)
  return true
}

export interface LeaveQuestionOptions {
  /** Whether something would be lost. */
  readonly isAsking: boolean
  /** Whether a path belongs to what would be left. Always the same function for the same page. */
  readonly isWithin: (pathname: string) => boolean
}

/** What the reader is asked. */
export interface LeaveQuestion {
  /** Whether the reader is about to leave and must say whether to. */
  readonly isOpen: boolean
  readonly leave: () => void
  readonly stay: () => void
}

/**
 * Asks before the reader leaves a page by a link, a menu or the buttons of the
 * browser. Before another document only the browser itself can ask.
 */
export function useLeaveQuestion({ isAsking, isWithin }: LeaveQuestionOptions): LeaveQuestion {
  const [go, setGo] = useState<() => void>()
  const [path] = useLocation()
  const search = useSearch()
  const here = search === '' ? path : `${path}?${search}`

  // A layout effect: a page that is unmounted must not ask when the next one redirects.
  useLayoutEffect(() => {
    if (!isAsking) return
    const own: Guard = { isWithin, here, ask: (leave) => setGo(() => leave) }
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    guard = own
    window.addEventListener('beforeunload', unload)
    return () => {
      if (guard === own) guard = undefined
      window.removeEventListener('beforeunload', unload)
    }
  }, [isAsking, isWithin, here])

  const stay = useCallback(() => setGo(undefined), [])
  const leave = () => {
    stay()
    go?.()
  }
  return { isOpen: go !== undefined, leave, stay }
}
