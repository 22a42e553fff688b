import { useSyncExternalStore } from 'react'

/** By the browser, and by the router, which writes addresses without an event of the browser. */
const events = ['hashchange', 'popstate', 'pushState', 'replaceState'] as const

/** The fragment of the address, `#tag/payments/initiatePayment`; empty without one. */
export function useFragment(): string {
  return useSyncExternalStore(listen, () => window.location.hash)
}

function listen(onChange: () => void): () => void {
  for (const event of events) window.addEventListener(event, onChange)
  return () => {
    for (const event of events) window.removeEventListener(event, onChange)
  }
}
