import type { Refusal } from '../../platform/problem.ts'
import { type Counter, type Grant, windowEnd } from '../counters/counter.ts'
import type { Call } from './call.ts'
import { type Check, guarded } from './check.ts'
import { limitHeaders, secondsUp, tightest } from './limit-headers.ts'

export interface LimitOptions {
  readonly counter: Counter
  /** Milliseconds since 1970; only for the member `resetsAt`. */
  readonly now: () => number
}

/**
 * Asks the counter for one admission of this call and refuses it when none is
 * left. Last of the checks, so that a call refused for any other reason is
 * never counted.
 */
export function limit({ counter, now }: LimitOptions): Check {
  return (call, next) => {
    const { plan, buckets } = call.entitlement
    counter.grant(
      buckets,
      plan.onStoreOutage,
      guarded(next, (grant) => {
        call.granted(grant)
        call.answerHeaders.push(...limitHeaders(plan.limits, grant.standings))
        if (grant.admitted || plan.mode === 'observe') next()
        else if (grant.decision === 'degraded_refused' && plan.onStoreOutage === 'deny') {
          const headers = { 'retry-after': secondsUp(grant.retryAfterMs) }
          next({ code: 'COUNTERS_UNAVAILABLE', headers })
        } else next(quotaExceeded(call, grant, now()))
      }),
    )
  }
}

/** The refusal of a call above its limit (draft-ietf-httpapi-ratelimit-headers-10, problem type quota-exceeded). */
function quotaExceeded(call: Call, grant: Grant, nowMs: number): Refusal {
  const { limits } = call.plan
  const exhausted = limits.filter((_, at) => grant.standings[at]?.granted === false)
  const decisive = limits[tightest(grant.standings)] ?? limits[0]
  const isDegraded = grant.decision === 'degraded_refused'
  return {
    code: 'QUOTA_EXCEEDED',
    detail: isDegraded
      ? 'The share this gateway may admit while its counters are unreachable is used up.'
      : `All ${decisive?.calls} calls of the window are used.`,
    headers: { 'retry-after': secondsUp(grant.retryAfterMs) },
    members: {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'violated-policies': exhausted.map((exceeded) => exceeded.name),
      operation: call.operation.id,
      limit: decisive?.calls,
      windowSeconds: decisive?.windowSeconds,
      ...(isDegraded
        ? { degraded: true }
        : { resetsAt: instant(windowEnd(nowMs, grant.retryAfterMs)) }),
    },
  }
}

let written = { ms: Number.NaN, text: '' }

/** ISO 8601; windows end for thousands of calls at the same moment. */
function instant(ms: number): string {
  if (written.ms !== ms) written = { ms, text: new Date(ms).toISOString() }
  return written.text
}
