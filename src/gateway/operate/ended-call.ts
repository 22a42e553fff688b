import type { Call } from '../edge/call.ts'
import type { Caller } from '../registry/registry.ts'
import type { FinishedCall } from './metrics.ts'

/** A call that is over, with what is known of it and of whose it was. */
export interface EndedCall {
  readonly call: Call
  readonly caller: Caller
  readonly finished: FinishedCall
  /** Whether the backend broke its answer off; a client that leaves looks the same from outside. */
  readonly isCut: boolean
  /** Milliseconds since 1970. */
  readonly endedAt: number
}

/** Whether it was let through, by its limit or in spite of it. */
export function wasAdmitted({ decision }: FinishedCall): boolean {
  return decision === 'admitted' || decision === 'degraded_admitted' || decision === 'observed'
}
