/**
 * What went wrong between the gateway and the backend. A connection that breaks
 * during a request fails with the system's own error.
 */
export type UpstreamFault =
  /** The connection could not be made, or not in time, so nothing was sent. The cause says why. */
  | 'UNREACHABLE'
  /** The connection ended before the response did. */
  | 'ANSWER_CUT'
  /** The response is not valid HTTP/1.1, or does not answer the request. */
  | 'ANSWER_INVALID'

/** A request that failed before its response was complete; `code` says why. */
export class UpstreamError extends Error {
  readonly code: UpstreamFault

  constructor(code: UpstreamFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UpstreamError'
    this.code = code
  }
}
