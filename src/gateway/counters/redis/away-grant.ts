import type { OutagePolicy } from '../../../catalogue/catalogue.ts'
import type { BucketLimit, BucketState, Grant } from '../counter.ts'
import { windowEnd } from '../window.ts'
import { createLocalShares } from './local-shares.ts'
import { createSeenCounts } from './seen-counts.ts'

/**
 * Decides a drill of an outage: as a lone process whose Redis goes away once it
 * has confirmed these counts to it. Counts nothing, because its local shares
 * live no longer than the decision.
 *
 * @param states one per limit, in the same order, as just read
 */
export function awayGrant(
  limits: readonly BucketLimit[],
  onOutage: OutagePolicy,
  states: readonly BucketState[],
): Grant {
  // No time passes within the decision, so it needs no clock but the time in the states.
  const monotonic = (): number => 0
  const seen = createSeenCounts({ monotonic })
  const times = new Map<string, number>()
  for (const [at, { bucket, windowLength }] of limits.entries()) {
    const state = states[at]
    if (state === undefined) continue
    const { count, window, resetMs } = state
    seen.learn({
      bucket,
      windowLength,
      window,
      count,
      resetMs,
      epoch: 0,
      sentAt: 0,
      madeAt: 0,
    })
    times.set(bucket, windowEnd(window, windowLength) - resetMs)
  }
  const shares = createLocalShares({
    division: {
      processes: () => 1,
      place: () => undefined,
      placesVersion: () => 0,
      isCutOff: () => false,
    },
    seen,
    clockOf: (bucket) => ({
      now: () => times.get(bucket) ?? 0,
      latest: () => Number.POSITIVE_INFINITY,
      hasReplied: () => true,
    }),
    monotonic,
  })
  return seen.refuse(limits) ?? shares.decide(limits, onOutage)
}
