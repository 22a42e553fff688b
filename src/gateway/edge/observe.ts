import type { Refusal } from '../../platform/problem.ts'
import type { Call } from './call.ts'

/**
 * Watches calls from outside the pipeline: metrics, log, later usage. Every
 * method returns quickly and never throws.
 */
export interface Observer {
  /** The answer has left, or the connection ended before it could (`response.writableFinished` tells). Once for each call. */
  ended(call: Call): void
  /** A connection was refused before it made a request. */
  refusedUnparsed(code: Refusal['code']): void
  /** The backend failed a call; the client sees only the refusal. */
  backendFailed(call: Call, refusal: Refusal, cause: Error): void
  /** Something of ours threw; the client sees 500. */
  failed(call: Call, cause: unknown): void
}
