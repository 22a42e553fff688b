import type { OutagePolicy } from '../../catalogue/catalogue.ts'
import type { CallDrill } from '../../platform/http/drills.ts'
import type { BucketLimit, BucketState, Counter, Grant } from '../counters/counter.ts'
import { peekedGrant } from '../counters/standing.ts'
import { tightest } from './answer/limit-headers.ts'
import type { Entitlement } from './entitlement.ts'

export interface DrilledGrantOptions {
  readonly counter: Pick<Counter, 'peek'>
  /** The decision about a call whose counters go away after they were read. */
  readonly awayGrant: (
    limits: readonly BucketLimit[],
    onOutage: OutagePolicy,
    states: readonly BucketState[],
  ) => Grant
}

/** Decides a drill. `done` gets undefined if the counters cannot be read. */
export type DrilledGrant = (
  drill: CallDrill,
  entitlement: Pick<Entitlement, 'plan' | 'buckets'>,
  done: (grant: Grant | undefined) => void,
) => void

/**
 * Creates what decides a drill in place of the counter. It reads the counts and
 * never changes them, so a drill shows the actual state of the limits, and
 * needs a call left as a call does.
 */
export function createDrilledGrant({ counter, awayGrant }: DrilledGrantOptions): DrilledGrant {
  return (drill, { plan, buckets }, done) => {
    counter.peek(buckets).then(
      (states) =>
        done(
          drill === 'degraded'
            ? awayGrant(buckets, plan.onStoreOutage, states)
            : peekedForDrill(drill, buckets, states),
        ),
      () => done(undefined),
    )
  }
}

/** The grant that a drill gets when its limits stand as read. For `429`, the limit with the fewest calls left is used up. */
export function peekedForDrill(
  drill: CallDrill | undefined,
  buckets: Entitlement['buckets'],
  states: readonly BucketState[],
): Grant {
  const grant = peekedGrant(buckets, states)
  const usedUp = buckets[tightest(grant.standings)]
  if (drill !== '429' || usedUp === undefined) return grant
  const reached = states.map((state) =>
    state.bucket === usedUp.bucket
      ? { ...state, count: Math.max(state.count, usedUp.calls) }
      : state,
  )
  return peekedGrant(buckets, reached)
}
