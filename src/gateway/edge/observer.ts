import type { Refusal } from '../../platform/http/problem.ts'
import type { Grant } from '../counters/counter.ts'
import type { Call, EntitledCall } from './call.ts'

/**
 * Watches calls from outside the edge: metrics, log, usage. Every method
 * returns quickly and never throws.
 */
export interface Observer {
  /** The response was sent, or the connection ended before (`response.writableFinished` shows which). Once per call. */
  ended(call: Call): void
  /** A call was counted under limits that its plan only rehearses, before or after its end. */
  rehearsed(call: EntitledCall, grant: Grant): void
  /** A connection was refused before it sent a parsable request. */
  refusedUnparsed(code: Refusal['code']): void
  /** A trusted proxy gave that entry in place of a client address; for the first one only. */
  clientUnknown(entry: string): void
  /** A network has used up its failed authentications; once per window of its throttle. */
  throttled(address: string): void
  /** The backend failed a call; the client sees only the refusal. */
  backendFailed(call: Call, refusal: Refusal, cause: Error): void
  /** Code of the gateway threw; the client sees 500. */
  failed(call: Call, cause: unknown): void
}
