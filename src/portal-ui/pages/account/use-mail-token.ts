import { useEffect, useState } from 'react'

/**
 * Reads the token of a mail link and removes it from the address bar, where it
 * would stay in the history and in copied addresses. Undefined without a token.
 *
 * Links carry it behind `#`, which browsers do not send, so that proxies do not
 * log it. Mails of the previous release carried it as `?token=`.
 */
export function useMailToken(): string | undefined {
  const [token] = useState(() => tokenIn(window.location.hash) ?? tokenIn(window.location.search))
  useEffect(() => {
    const { search, hash, pathname } = window.location
    if (search + hash === '') return
    window.history.replaceState(window.history.state, '', pathname)
  }, [])
  useEffect(() => {
    // A second link pasted into this tab changes the part behind `#` only.
    const open = () => {
      if (tokenIn(window.location.hash) !== undefined) window.location.reload()
    }
    window.addEventListener('hashchange', open)
    return () => window.removeEventListener('hashchange', open)
  }, [])
  return token
}

/** @param part `#token=…` or `?token=…` */
function tokenIn(part: string): string | undefined {
  const token = new URLSearchParams(part.slice(1)).get('token')
  return token === null || token === '' ? undefined : token
}
