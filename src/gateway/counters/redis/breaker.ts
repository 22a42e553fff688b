/** Decides when to stop asking a store that does not answer. */
export interface Breaker {
  /** A request was sent. */
  sent(): void
  /** A request ended: with a reply or an error, in time or not. */
  heard(): void
  /** A valid reply arrived in time. */
  succeeded(): void
  /** The reply was an error, or late. */
  failed(): void
  /** Whether to stop asking: after too many failures in a row, or after too long a silence while a request waits. */
  isOpen(): boolean
  /** Milliseconds until silence alone opens the breaker; undefined when no request waits. */
  silenceLeftMs(): number | undefined
  /** Starts over with no request waiting. */
  reset(): void
}

export interface BreakerOptions {
  /** Failures in a row that open the breaker. (Default: 5.) */
  readonly failuresMax?: number
  /** Silence in milliseconds that opens the breaker. */
  readonly silenceMs: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** Creates a breaker for one server. */
export function createBreaker({ failuresMax = 5, silenceMs, monotonic }: BreakerOptions): Breaker {
  let failures = 0
  let waiting = 0
  /** When the current silence began, if a request waits. */
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
