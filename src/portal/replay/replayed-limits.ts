import type { Operation, Plan } from '../../catalogue/catalogue.ts'
import type { EffectiveLimit } from '../../catalogue/effective-limits.ts'
import { bucketName } from '../../gateway/counters/bucket.ts'
import { windowAt } from '../../gateway/counters/window.ts'

/** The limits of a plan over time, beginning with nothing used. */
export interface ReplayedLimits {
  /**
   * Counts a call, unless a limit is used up; calls must come in the order of
   * their times.
   * @returns whether it is allowed
   */
  allows(operation: Operation, at: Date): boolean
}

/** @param plan undefined: everything is allowed */
export function createReplayedLimits(
  plan: Pick<Plan, 'mode'> | undefined,
  limits: readonly EffectiveLimit[],
): ReplayedLimits {
  const counts = new Map<string, number>()
  return {
    allows(operation, at) {
      const asked = limits.map((limit) => {
        const window = windowAt(at.getTime(), limit.windowLength).id
        const bucket = `${bucketName('', operation, limit)} ${window}`
        return { bucket, isLeft: (counts.get(bucket) ?? 0) < limit.calls }
      })
      if (asked.some(({ isLeft }) => !isLeft)) return plan?.mode !== 'enforce'
      // Two limits may share a bucket, where the call counts once.
      for (const bucket of new Set(asked.map((each) => each.bucket))) {
        counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
      }
      return true
    },
  }
}
