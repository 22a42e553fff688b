import { type RefObject, useEffect, useRef } from 'react'
import { useBrandName } from '../facts.tsx'
import { useHasNavigated } from './navigation.tsx'

/** Moves the focus to the heading of the page. For use after the focused element was removed. */
export function focusPageHeading(): void {
  document.querySelector('h1')?.focus()
}

/**
 * Sets the title of the document. After a navigation, scrolls to the top and
 * focuses the heading, so that a screen reader announces the new page, unless an
 * element of the new page already has the focus.
 *
 * @param isNew whether it replaces another page at the same address, for example after a form
 * @returns for the heading, which must be focusable (`tabIndex={-1}`)
 */
export function usePageHeading(title: string, isNew = false): RefObject<HTMLHeadingElement | null> {
  const ref = useRef<HTMLHeadingElement>(null)
  const hasNavigated = useHasNavigated()
  const brand = useBrandName()

  useEffect(() => {
    document.title = `${title} · ${brand}`
  }, [title, brand])

  useEffect(() => {
    if (!isNew && !hasNavigated()) return
    window.scrollTo(0, 0)
    // An element of the new page may already have the focus: a key, which is shown only once.
    if (!isNew && pageOf(ref.current)?.contains(document.activeElement)) return
    ref.current?.focus({ preventScroll: true })
  }, [hasNavigated, isNew])

  return ref
}

/** The element of the page that contains the heading. */
function pageOf(heading: Element | null): Element | null {
  return heading?.closest('[data-page]') ?? null
}
