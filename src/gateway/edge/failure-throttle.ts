import {
  networkOf,
  unknownClient,
  unknownClientsFactor,
} from '../../platform/http/client-address.ts'

/** Counts failed authentications per client address. */
export interface FailureThrottle {
  /** Counts one failure. @returns 0 while the address is within its allowance, otherwise the seconds to wait (≥ 1) */
  count(address: string): number
}

export interface FailureThrottleOptions {
  readonly failuresPerMinute: number
  /** Milliseconds, never going back. */
  readonly monotonic: () => number
  /** Called with an address of a network when that network exceeds its allowance, once per window. Must not throw. */
  readonly onExceeded: (address: string) => void
}

/** Networks with a window of their own. Without a bound, a flood of forged keys would take all memory. */
export const throttledNetworksMax = 100_000

const windowMs = 60_000
const sweepMs = 1_000

interface Window {
  readonly end: number
  failures: number
}

/**
 * Creates a throttle in this process. A window begins with a network's first
 * failure. While {@link throttledNetworksMax} windows run, further networks
 * count with the unknown clients.
 */
export function createFailureThrottle({
  failuresPerMinute,
  monotonic,
  onExceeded,
}: FailureThrottleOptions): FailureThrottle {
  /** By network, in the order in which they end. */
  const windows = new Map<string, Window>()
  let sweepAt = 0

  /** Once a second, because V8 walks over all deleted entries at the front of a map to reach the first one. */
  function sweep(now: number): void {
    if (now < sweepAt) return
    sweepAt = now + sweepMs
    for (const [network, { end }] of windows) {
      if (end > now) return
      windows.delete(network)
    }
  }

  function start(name: string, now: number): Window {
    const window = { end: now + windowMs, failures: 0 }
    windows.delete(name)
    windows.set(name, window)
    return window
  }

  return {
    count(address) {
      const now = monotonic()
      sweep(now)
      const network = networkOf(address)
      const isApart = windows.has(network) || windows.size < throttledNetworksMax
      const name = isApart ? network : unknownClient
      const running = windows.get(name)
      const window = running === undefined || running.end <= now ? start(name, now) : running
      const allowed = failuresPerMinute * (name === unknownClient ? unknownClientsFactor : 1)
      window.failures += 1
      if (window.failures <= allowed) return 0
      if (window.failures === allowed + 1) onExceeded(isApart ? address : unknownClient)
      return Math.ceil((window.end - now) / 1000)
    },
  }
}
