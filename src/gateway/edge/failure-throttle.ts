import { createFixedWindows } from '../../platform/fixed-windows.ts'
import { unknownClient } from '../../platform/http/client-address.ts'
import { networkOf } from '../../platform/http/client-network.ts'

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

/** Creates a throttle in this process. A window begins with a network's first failure. */
export function createFailureThrottle({
  failuresPerMinute,
  monotonic,
  onExceeded,
}: FailureThrottleOptions): FailureThrottle {
  const windows = createFixedWindows({
    allowance: failuresPerMinute,
    windowMs: 60_000,
    now: monotonic,
  })
  return {
    count(address) {
      const { name, excess, endsInMs } = windows.count(networkOf(address))
      if (excess <= 0) return 0
      if (excess === 1) onExceeded(name === unknownClient ? name : address)
      return Math.ceil(endsInMs / 1000)
    },
  }
}
