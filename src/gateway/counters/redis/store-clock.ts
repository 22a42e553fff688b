/** Estimates the store's time from its replies. */
export interface StoreClock {
  /**
   * @param sentAt monotonic milliseconds at which the request was sent
   * @param receivedAt monotonic milliseconds at which the reply arrived
   * @returns monotonic milliseconds by which the store had certainly reached that time,
   * at most `receivedAt`
   */
  learn(serverTimeMs: number, sentAt: number, receivedAt: number): number
  /**
   * Milliseconds since 1970, never ahead of the store while both clocks run at the same rate. Between replies, it advances
   * with the monotonic clock. Before the first reply, it is the local clock.
   */
  now(): number
  /** Milliseconds since 1970 that the store has not passed yet, while both clocks run at the same rate. */
  latest(): number
  /** Whether a reply has arrived. */
  hasReplied(): boolean
}

/** The estimate alone. */
export type StoreTime = Pick<StoreClock, 'now' | 'latest' | 'hasReplied'>

export interface StoreClockOptions {
  /** Milliseconds since 1970, before the first reply. */
  readonly now: () => number
  /** Upper bound before the first reply. (Default: none) */
  readonly latest?: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** Maximum relative drift between two clocks. */
export const driftMost = 0.0002

/**
 * The server creates a reply after the request is sent and before the reply
 * arrives. This bounds how far the store is ahead of the monotonic clock: at
 * least `serverTime − receivedAt`, at most `serverTime + 1 − sentAt`. The
 * estimate is the highest lower bound, which comes from the fastest reply; a
 * slow reply does not lower it. The estimate may lag but does not run ahead: a
 * window may seem to last longer, and a Retry-After is never too short.
 *
 * Because clocks drift, a reply counts for less the older it is: a later reply
 * replaces it even with a slightly lower bound. Without replies the estimate
 * does not decrease: in an outage, a window must end at the time promised to
 * callers. Bounds that a reply contradicts mean that a clock stepped, and
 * are discarded.
 */
export function createStoreClock({
  now,
  monotonic,
  latest = () => Number.POSITIVE_INFINITY,
}: StoreClockOptions): StoreClock {
  /** Bounds of the store's time against the monotonic clock. */
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  let learntAt = 0
  const hasReplied = () => least !== Number.NEGATIVE_INFINITY

  function driftAt(at: number): number {
    return Math.max(0, at - learntAt) * driftMost
  }

  return {
    learn(serverTimeMs, sentAt, receivedAt) {
      const repliedLeast = serverTimeMs - receivedAt
      const repliedMost = serverTimeMs + 1 - sentAt
      const drift = driftAt(receivedAt)
      const hasStepped = least - drift > repliedMost || most + drift < repliedLeast
      least = hasStepped ? repliedLeast : Math.max(least - drift, repliedLeast)
      most = hasStepped ? repliedMost : Math.min(most + drift, repliedMost)
      learntAt = receivedAt
      return serverTimeMs - least
    },
    now: () => (hasReplied() ? monotonic() + least : now()),
    latest() {
      const at = monotonic()
      return hasReplied() ? at + most + driftAt(at) : latest()
    },
    hasReplied,
  }
}
