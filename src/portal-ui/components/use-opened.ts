import { useEffect, useState } from 'react'

/**
 * Whether to show what loads when it is first opened: never in its first frame. The
 * library remembers where the focus returns to when something opens, not when it is
 * open from the start.
 */
export function useOpened(isOpened: boolean): boolean {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => setIsShown(isOpened), [isOpened])
  return isShown
}
