// How long a stop may take, in milliseconds. Each time follows from the ones above it, so the longest call is served.

/** In which an upload must be complete after the port has closed. */
export const lastUploadMs = 3_000

/** In which the backend must have answered a call. */
export const exchangeMs = 25_000

/** A call may still take after the port has closed, with a second for the checks and for the answer. */
export const longestCallMs = lastUploadMs + exchangeMs + 1_000

/** In which a worker must end, with time for pending records. */
export const workerStopMs = longestCallMs + 3_000

/** In which a process must end after its drain. */
export const closeMs = workerStopMs + 2_000
