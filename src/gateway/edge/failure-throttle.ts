import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

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
      limiter.consume(network(address)).then(
        () => done(0),
        (reason: unknown) => {
          const waitMs = reason instanceof RateLimiterRes ? reason.msBeforeNext : 60_000
          done(Math.max(1, Math.ceil(waitMs / 1000)))
        },
      )
    },
  }
}

/** One subscriber line owns a whole IPv6 /64, so single addresses of it are no separate callers. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const front = head.split(':')
  const back = tail === undefined ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':')
}
