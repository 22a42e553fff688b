/** What went wrong between the gateway and the backend, besides what the system says (`ECONNREFUSED` and the like). */
export type UpstreamFault =
  /** No connection in time. */
  | 'CONNECT_TIMEOUT'
  /** The connection ended before the answer did. */
  | 'ANSWER_CUT'
  /** What came is no HTTP/1.1 answer, or not one to what was asked. */
  | 'ANSWER_INVALID'

/** A request that came to no end; `code` says why. */
export class UpstreamError extends Error {
  readonly code: UpstreamFault

  constructor(code: UpstreamFault, message: string) {
    super(message)
    this.name = 'UpstreamError'
    this.code = code
  }
}
