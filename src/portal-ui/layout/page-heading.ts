import { type RefObject, useEffect, useRef } from 'react'
import { useBrandName } from '../facts.tsx'
import { useHasNavigated } from './navigation.tsx'

/** Moves the focus to the heading of the page, when what had the focus is gone. */
export function focusPageHeading(): void {
  document.querySelector('h1')?.focus()
}

/**
 * Names the document after a page. After a navigation it scrolls to the top
 * and focuses the heading, so that a screen reader announces the new page; not
 * when something on the new page has taken the focus.
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
    // Part of a new page may have the focus already: a key, which shows only once.
    if (!isNew && pageOf(ref.current)?.contains(document.activeElement)) return
    ref.current?.focus({ preventScroll: true })
  }, [hasNavigated, isNew])

  return ref
}

/** What came with the heading. */
function pageOf(heading: Element | null): Element | null {
  return heading?.closest('[data-page]') ?? null
}
