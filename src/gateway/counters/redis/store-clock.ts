/** Estimates the store's time from its replies. */
export interface StoreClock {
  /**
   * @param sentAt monotonic milliseconds at which the request was sent
   * @param receivedAt monotonic milliseconds at which the reply arrived
   * @returns monotonic milliseconds by which the store certainly had that time,
   * at most `receivedAt`
   */
  learn(serverTimeMs: number, sentAt: number, receivedAt: number): number
  /** Milliseconds since 1970, never ahead of the store while both clocks run alike. It runs with the monotonic clock until the next reply. Before the first reply, the local clock. */
  now(): number
}

export interface StoreClockOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** Maximum relative drift between two clocks. */
export const driftMost = 0.0002

/**
 * The server makes a reply after the request was sent and before the reply
 * arrives. This bounds how far the store is ahead of the monotonic clock: at
 * least `serverTime − receivedAt`, at most `serverTime + 1 − sentAt`. The
 * estimate is the highest lower bound, which comes from the fastest reply; a
 * slow reply does not lower it. The estimate errs to the late side: a window
 * seems to last longer, and a Retry-After is never too short.
 *
 * Because clocks drift, a reply counts for less the older it is: a later reply
 * replaces it even with a slightly lower bound. Without replies the estimate
 * does not decrease: in an outage, a window must end when callers were told
 * that it does. An estimate above the upper bound of a reply means that a clock
 * stepped, and is discarded.
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
      return ahead === undefined ? now() : monotonic() + ahead
    },
  }
}
