import { useEffect } from 'react'
import { useFragment } from '../reference/use-fragment.ts'

/**
 * Scrolls to the element that the address names once it is rendered: the browser looked for it before the data had
 * arrived. It also takes the focus, so that a screen reader continues from there.
 *
 * @param isReady whether the page has its data
 */
export function useFocusedFragment(isReady = true): void {
  const fragment = useFragment()
  useEffect(() => {
    if (!isReady || fragment === '') return
    const named = document.getElementById(fragment.slice(1))
    named?.setAttribute('tabindex', '-1')
    named?.focus({ preventScroll: true })
    named?.scrollIntoView()
  }, [fragment, isReady])
}
