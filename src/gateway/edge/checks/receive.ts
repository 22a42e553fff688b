import type { EntitledCall, ReceivedCall } from '../call.ts'
import type { Uploads } from '../request/uploads.ts'
import { type Check, guarded } from '../run-checks.ts'

/**
 * Receives the whole body before the call is counted and before it uses a
 * backend connection. A body that never arrives costs only its own place.
 */
export function receive({
  uploads,
  monotonic,
}: {
  readonly uploads: Pick<Uploads, 'receive'>
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}): Check<EntitledCall, ReceivedCall> {
  return (call, next) => {
    if (!call.hasBody) {
      next(call.received(undefined))
      return
    }
    const from = monotonic()
    uploads.receive(
      call,
      guarded(next, (outcome) => {
        call.bodyMs = monotonic() - from
        // Without an outcome the client is gone, and no further check runs.
        next(outcome !== undefined && 'code' in outcome ? outcome : call.received(outcome))
      }),
    )
  }
}
