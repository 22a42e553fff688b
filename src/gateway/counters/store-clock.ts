/** Estimates the time of the store from its replies. */
export interface StoreClock {
  /**
   * @param sentAt monotonic milliseconds at which the store was asked
   * @param receivedAt monotonic milliseconds
   * @returns the monotonic milliseconds by which, as far as is known, the store had that time; not after `receivedAt`
   */
  learn(serverTimeMs: number, sentAt: number, receivedAt: number): number
  /** Milliseconds since 1970, never ahead of the store as long as its clock runs steadily; our own clock before the first reply. */
  now(): number
}

export interface StoreClockOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
}

/** Two clocks go apart by less than this part of the time. */
const driftMost = 0.0002

/**
 * A reply was made after it was asked for and before it was received, so it
 * bounds how far the store is ahead of the monotonic clock: on one side
 * `serverTime − receivedAt`, on the other `serverTime + 1 − sentAt`. The highest
 * of the lower bounds is the estimate, from the reply that was fastest on its
 * way: one that was late does not set it back. It errs to the late side: a window
 * is thought to last longer and a Retry-After is never too short.
 *
 * Because clocks drift, the estimate sinks a little with time; an estimate above
 * the upper bound of a reply is of a clock that stepped, and given up.
 */
export function createStoreClock({ now, monotonic }: StoreClockOptions): StoreClock {
  let ahead: number | undefined
  let learntAt = 0

  function aheadAt(at: number): number | undefined {
    return ahead === undefined ? undefined : ahead - Math.max(0, at - learntAt) * driftMost
  }

  return {
    learn(serverTimeMs, sentAt, receivedAt) {
      const least = serverTimeMs - receivedAt
      const most = serverTimeMs + 1 - sentAt
      const known = aheadAt(receivedAt)
      ahead = known === undefined || known < least || known > most ? least : known
      learntAt = receivedAt
      return serverTimeMs - ahead
    },
    now() {
      const at = monotonic()
      const known = aheadAt(at)
      return known === undefined ? now() : at + known
    },
  }
}
