import type { Counter, Grant } from '../counters/counter.ts'
import type { EntitledCall } from './call.ts'

export interface RehearseOptions {
  readonly counter: Pick<Counter, 'grant'>
  /** Called for each rehearsed call, with what the rehearsed limits would have decided. Must not throw. */
  readonly rehearsed: (call: EntitledCall, grant: Grant) => void
}

/**
 * Counts a call under the limits that its plan rehearses, if any, unless the
 * call is a drill. Returns at once: the call does not wait for the counter.
 */
export type Rehearse = (call: EntitledCall) => void

/**
 * Creates the rehearsal of limits that do not apply yet: the counter of the
 * plan counts in buckets of their own. Every check that decides a call by its
 * limits calls it, so that it counts exactly the calls which the rehearsed
 * limits would decide.
 */
export function createRehearse({ counter, rehearsed }: RehearseOptions): Rehearse {
  return (call) => {
    const rehearsal = call.entitlement.rehearsed
    if (rehearsal === undefined || call.drill !== undefined) return
    counter.grant(rehearsal.buckets, rehearsal.onStoreOutage, (grant) => rehearsed(call, grant))
  }
}
