/** Tells when a store that does not answer should no longer be asked. */
export interface Breaker {
  /** Something was sent that will be answered. */
  sent(): void
  /** What was sent came to its end: an answer, an error, in time or not. */
  heard(): void
  /** It was answered as it should be, in time. */
  succeeded(): void
  /** It was answered by an error, or not in time. */
  failed(): void
  /** Whether it is time to stop asking: too many failures in a row, or silence for too long while something was waiting. */
  isOpen(): boolean
  /** Milliseconds until silence alone will open it; undefined when nothing waits. */
  silenceLeftMs(): number | undefined
  /** Begins anew, with nothing waiting. */
  reset(): void
}

export interface BreakerOptions {
  /** Failures in a row that open it. (Default: 5.) */
  readonly failuresMax?: number
  /** Silence that opens it, in milliseconds. (Default: 100.) */
  readonly silenceMs?: number
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
}

/** One for each server asked. */
export function createBreaker({
  failuresMax = 5,
  silenceMs = 100,
  monotonic,
}: BreakerOptions): Breaker {
  let failures = 0
  let waiting = 0
  /** Since when nothing was heard although something waits. */
  let silentSince = 0

  function silenceLeftMs(): number | undefined {
    return waiting === 0 ? undefined : silenceMs - (monotonic() - silentSince)
  }

  return {
    sent() {
      if (waiting === 0) silentSince = monotonic()
      waiting += 1
    },
    heard() {
      if (waiting > 0) waiting -= 1
      silentSince = monotonic()
    },
    succeeded() {
      failures = 0
    },
    failed() {
      failures += 1
    },
    isOpen() {
      const left = silenceLeftMs()
      return failures >= failuresMax || (left !== undefined && left <= 0)
    },
    silenceLeftMs,
    reset() {
      failures = 0
      waiting = 0
    },
  }
}
