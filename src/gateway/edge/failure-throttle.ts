import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../../platform/client-address.ts'

/** Counts failed authentications per client address. */
export interface FailureThrottle {
  /** Counts one failure. `done` gets 0 while the address is within its allowance, else the seconds it should wait (≥ 1). */
  count(address: string, done: (retryAfterSeconds: number) => void): void
}

export interface FailureThrottleOptions {
  readonly failuresPerMinute: number
}

/**
 * Creates a throttle in this process. It refuses with certainty above the
 * allowance and never opens by itself: an error inside counts as exceeded.
 * Windows begin with the first failure of an address.
 */
export function createFailureThrottle({
  failuresPerMinute,
}: FailureThrottleOptions): FailureThrottle {
  const limiter = new RateLimiterMemory({ points: failuresPerMinute, duration: 60 })
  return {
    count(address, done) {
      limiter.consume(networkOf(address)).then(
        () => done(0),
        (reason: unknown) => {
          const waitMs = reason instanceof RateLimiterRes ? reason.msBeforeNext : 60_000
          done(Math.max(1, Math.ceil(waitMs / 1000)))
        },
      )
    },
  }
}
