import type { BucketState, Counter } from '../../counters/counter.ts'
import type { EntitledCall } from '../call.ts'
import { peekedForDrill } from '../drilled-grant.ts'
import type { Rehearse } from '../rehearse.ts'
import { guarded, type Judge } from '../run-checks.ts'
import { refuseByGrant } from './limit.ts'

export interface ExpectOptions {
  readonly counter: Pick<Counter, 'peek'>
  readonly rehearse: Rehearse
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Refuses a client that waits for 100 Continue before it sends its body, if its
 * limit is used up. It counts nothing. The limit check runs after the body has
 * arrived, and also decides what happens during a store outage.
 */
export function expect({ counter, rehearse, now }: ExpectOptions): Judge<EntitledCall> {
  return (call, next) => {
    const { plan, buckets } = call.entitlement
    // In the outage that `degraded` shows, there is nothing to read here.
    const isUnread = plan.mode === 'observe' || call.drill === 'degraded'
    if (call.fields.expect === undefined || !call.hasBody || isUnread) {
      next(call)
      return
    }
    const judge = guarded(next, (states: readonly BucketState[]) => {
      const grant = peekedForDrill(call.drill, buckets, states)
      if (grant.admitted) next(call)
      else {
        // The check of the limit, which rehearses the other calls, does not see this one.
        rehearse(call)
        next(refuseByGrant(call, grant, now()))
      }
    })
    counter.peek(buckets).then(judge, () => next(call))
  }
}
