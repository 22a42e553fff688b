import { useEffect, useState } from 'react'

/**
 * The token a mail link brought, and takes it out of the address bar, where it
 * would stay in the history and be copied along. Undefined when there is none.
 */
export function useMailToken(): string | undefined {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token'))
  useEffect(() => {
    if (window.location.search === '') return
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  return token === null || token === '' ? undefined : token
}
