/** Estimates the time of the store from its last reply. */
export interface StoreClock {
  /** @param receivedAt monotonic milliseconds */
  learn(serverTimeMs: number, receivedAt: number): void
  /** Milliseconds since 1970, never ahead of the store as long as its clock runs steadily; our own clock before the first reply. */
  now(): number
}

export interface StoreClockOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
}

/**
 * The reply was made before it was received, so taking both as the same moment
 * errs by the way back, to the late side: a window is thought to last longer
 * and a Retry-After is never too short.
 */
export function createStoreClock({ now, monotonic }: StoreClockOptions): StoreClock {
  let offset: number | undefined
  return {
    learn(serverTimeMs, receivedAt) {
      offset = serverTimeMs - receivedAt
    },
    now: () => (offset === undefined ? now() : monotonic() + offset),
  }
}
