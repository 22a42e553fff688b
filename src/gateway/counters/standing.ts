import type { BucketLimit, Decision, Grant, Standing } from './counter.ts'

/**
 * Brings the limits of one call down to one for each bucket. Two limits of a
 * plan with the same scope and window length share a bucket; the call counts
 * in it once, and the smaller limit decides, because a call must pass both.
 *
 * @returns `limits` itself when no bucket occurs twice, which is nearly always
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
 * Says what became of one limit.
 *
 * @param count calls of the bucket in this window, the call itself included when it was admitted
 * @param isAdmitted whether the call was admitted; of a refused call a limit still counts as granted when it had a call left
 * @param resetMs whole milliseconds, or undefined when the end of the window is not known
 */
export function standingOf(
  calls: number,
  count: number,
  isAdmitted: boolean,
  resetMs: number | undefined,
): Standing {
  return {
    remaining: count < calls ? calls - count : 0,
    resetMs,
    granted: isAdmitted || count < calls,
  }
}

/** Makes the answer of an admitted call. */
export function admission(decision: Decision, standings: readonly Standing[]): Grant {
  return { admitted: true, decision, standings, retryAfterMs: 0 }
}

/**
 * Makes the answer of a refused call: it can succeed when the last of the
 * windows that had no call left is over.
 */
export function refusal(decision: Decision, standings: readonly Standing[]): Grant {
  let retryAfterMs = 0
  for (const { granted, resetMs } of standings) {
    if (!granted && resetMs !== undefined && resetMs > retryAfterMs) retryAfterMs = resetMs
  }
  return { admitted: false, decision, standings, retryAfterMs }
}
