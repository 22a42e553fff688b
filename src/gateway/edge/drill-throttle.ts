import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Drills of one developer in a minute, in each process. */
export const drillsPerMinute = 60

/** Counts the drills of a developer, because no plan does. */
export interface DrillThrottle {
  /** Counts one drill. `done` gets 0 while the developer is within the allowance, otherwise the seconds to wait (≥ 1). */
  count(developerId: string, done: (retryAfterSeconds: number) => void): void
}

/** Creates a throttle in this process. A minute begins with a developer's first drill; an internal error counts as above the allowance. */
export function createDrillThrottle(): DrillThrottle {
  const limiter = new RateLimiterMemory({ points: drillsPerMinute, duration: 60 })
  return {
    count(developerId, done) {
      limiter.consume(developerId).then(
        () => done(0),
        (reason: unknown) => {
          const waitMs = reason instanceof RateLimiterRes ? reason.msBeforeNext : 60_000
          done(Math.max(1, Math.ceil(waitMs / 1000)))
        },
      )
    },
  }
}
