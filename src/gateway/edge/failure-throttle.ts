import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf, unknownClient, unknownClientsFactor } from '../../platform/client-address.ts'

/** Counts failed authentications per client address. */
export interface FailureThrottle {
  /** Counts one failure. `done` gets 0 while the address is within its allowance, otherwise the seconds to wait (≥ 1). */
  count(address: string, done: (retryAfterSeconds: number) => void): void
}

export interface FailureThrottleOptions {
  readonly failuresPerMinute: number
  /** Called with an address of a network when that network exceeds its allowance, once per window. Must not throw. */
  readonly onExceeded: (address: string) => void
}

/**
 * Creates a throttle in this process. Above the allowance it always refuses; an
 * internal error also counts as above. A window begins with an address's first
 * failure.
 */
export function createFailureThrottle({
  failuresPerMinute,
  onExceeded,
}: FailureThrottleOptions): FailureThrottle {
  const ofNetwork = new RateLimiterMemory({ points: failuresPerMinute, duration: 60 })
  const ofUnknown = new RateLimiterMemory({
    points: failuresPerMinute * unknownClientsFactor,
    duration: 60,
  })
  return {
    count(address, done) {
      const limiter = address === unknownClient ? ofUnknown : ofNetwork
      limiter.consume(networkOf(address)).then(
        () => done(0),
        (reason: unknown) => {
          const waitMs = reason instanceof RateLimiterRes ? reason.msBeforeNext : 60_000
          if (reason instanceof RateLimiterRes && reason.consumedPoints === limiter.points + 1) {
            onExceeded(address)
          }
          done(Math.max(1, Math.ceil(waitMs / 1000)))
        },
      )
    },
  }
}
