import type { Caller } from '../../registry/registry.ts'
import type { Call } from '../edge/call.ts'
import type { FinishedCall } from './metrics.ts'

/** A finished call, with its outcome and its caller. */
export interface EndedCall {
  readonly call: Call
  readonly caller: Caller
  readonly finished: FinishedCall
  /** Milliseconds since 1970. */
  readonly endedAt: number
}

/** Whether the call was admitted, within its limit or despite it. */
export function wasAdmitted({ decision }: FinishedCall): boolean {
  return decision === 'admitted' || decision === 'degraded_admitted' || decision === 'observed'
}
