import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** How long the content waits at most: an answer that is later moves it. */
const waitMs = 1_000

/** How long nothing may be awaited: an answer can lead to the next question. */
const pauseMs = 40

/** Questions without an answer so far. */
const first = { predicate: ({ state }: Query) => state.status === 'pending' }

/**
 * Shows its content once the answers are here that it asks for at first, so that
 * they move nothing; after a second, as far as they are here. It takes its
 * space before.
 */
export function Settled({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient()
  const awaited = useIsFetching(first)
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), waitMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (awaited > 0) return undefined
    const timer = setTimeout(
      () => setIsShown((was) => was || client.isFetching(first) === 0),
      pauseMs,
    )
    return () => clearTimeout(timer)
  }, [awaited, client])
  return (
    <div
      data-settling={isShown ? undefined : ''}
      // Not `visibility`: a new key takes the focus at once, and a hidden element cannot.
      style={isShown ? undefined : { opacity: 0, pointerEvents: 'none' }}
    >
      {children}
    </div>
  )
}
