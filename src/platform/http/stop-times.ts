/** Time for an upload to complete after the port has closed. */
export const lastUploadMs = 3_000

/** Time for a backend to answer a call, where BACKEND_CALL_MS does not matter. */
export const exchangeMs = 25_000

/** How long a stop may take, in milliseconds. */
export interface StopTimes {
  /** A call may still take after the port has closed, with a second for the checks and for the answer. */
  readonly longestCallMs: number
  /** Time for a process to end after its drain, including pending records. */
  readonly closeMs: number
}

/**
 * Each time follows from the ones before it, so that the longest call is served.
 *
 * @param exchangeMs in which a backend must have answered a call
 */
export function stopTimes(exchangeMs: number): StopTimes {
  const longestCallMs = lastUploadMs + exchangeMs + 1_000
  return { longestCallMs, closeMs: longestCallMs + 5_000 }
}
