import type { Counter, Grant } from '../../counters/counter.ts'
import type { EntitledCall } from '../call.ts'

export interface RehearseOptions {
  readonly counter: Pick<Counter, 'grant'>
  /** Called for each rehearsed call, with what the rehearsed limits would have decided. Never throws. */
  readonly rehearsed: (call: EntitledCall, grant: Grant) => void
}

/** Counts a call, unless it is a drill, under the limits that its plan rehearses. The call does not wait for it. */
export type Rehearse = (call: EntitledCall) => void

/**
 * Creates the rehearsal: the count of a plan that is not enforced, of the same
 * calls by the same counter, in buckets of other names. It can be wherever a
 * limit decides a call, so that it sees the calls which the rehearsed limits
 * would decide.
 */
export function createRehearse({ counter, rehearsed }: RehearseOptions): Rehearse {
  return (call) => {
    const rehearsal = call.entitlement.rehearsed
    if (rehearsal === undefined || call.drill !== undefined) return
    counter.grant(rehearsal.buckets, rehearsal.onStoreOutage, (grant) => rehearsed(call, grant))
  }
}
