import type { BucketLimit, BucketState, Decision, Grant, Standing } from './counter.ts'

/**
 * Merges the limits of one call into one per bucket. Two limits of a plan with
 * the same scope and window length share a bucket. The call counts there once,
 * and the smaller limit decides, because a call must pass both.
 *
 * @returns `limits` itself when no bucket occurs twice, the usual case
 */
export function distinctLimits(limits: readonly BucketLimit[]): readonly BucketLimit[] {
  if (limits.length < 2) return limits
  const strictest = new Map<string, BucketLimit>()
  for (const limit of limits) {
    const other = strictest.get(limit.bucket)
    if (other === undefined || limit.calls < other.calls) strictest.set(limit.bucket, limit)
  }
  return strictest.size === limits.length ? limits : [...strictest.values()]
}

/**
 * Describes the result for one limit.
 *
 * @param count calls of the bucket in this window, including this call if it
 * was admitted
 * @param isAdmitted whether the call was admitted; in a refused call, a limit
 * with a call left still counts as granted
 * @param resetMs whole milliseconds, or undefined when the end of the window is
 * unknown
 * @param window its number, or undefined when unknown
 */
export function standingOf(
  calls: number,
  count: number,
  isAdmitted: boolean,
  resetMs: number | undefined,
  window: number | undefined,
): Standing {
  return {
    remaining: count < calls ? calls - count : 0,
    resetMs,
    window,
    granted: isAdmitted || count < calls,
  }
}

/** Makes the grant of an admitted call. */
export function admission(decision: Decision, standings: readonly Standing[]): Grant {
  return { admitted: true, decision, standings, retryAfterMs: 0 }
}

/**
 * Makes the grant of a refused call. The call can succeed when the last of its
 * used-up windows has ended.
 */
export function refusal(decision: Decision, standings: readonly Standing[]): Grant {
  let retryAfterMs = 0
  for (const { granted, resetMs } of standings) {
    if (!granted && resetMs !== undefined && resetMs > retryAfterMs) retryAfterMs = resetMs
  }
  return { admitted: false, decision, standings, retryAfterMs }
}

/** The grant that a call would get now, without counting it. @param states as read for these limits */
export function peekedGrant(
  limits: readonly BucketLimit[],
  states: readonly Pick<BucketState, 'count' | 'resetMs' | 'window'>[],
): Grant {
  const standings = limits.map(({ calls }, at) =>
    standingOf(calls, states[at]?.count ?? 0, false, states[at]?.resetMs ?? 0, states[at]?.window),
  )
  const isAdmitted = standings.every(({ granted }) => granted)
  return isAdmitted ? admission('admitted', standings) : refusal('refused', standings)
}
