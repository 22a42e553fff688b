import type { Operation, Plan } from '../../catalogue/catalogue.ts'
import type { Refusal } from '../../platform/problem.ts'
import { bucketName } from '../counters/bucket.ts'
import { type BucketLimit, type Counter, type Grant, windowEnd } from '../counters/counter.ts'
import type { Caller } from '../registry/registry.ts'
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
  const bucketsOf = createBucketMemo()
  return (call, next) => {
    const { plan } = call
    const buckets = bucketsOf(call.caller, call.operation, plan)
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
        : {
            resetsAt: new Date(windowEnd(nowMs, grant.retryAfterMs)).toISOString(),
          }),
    },
  }
}

/**
 * The buckets of a call are the same for every call of a caller to an
 * operation under a plan. Callers are replaced when the registry refreshes
 * them, plans on reload and by overrides, so entries go with them.
 */
function createBucketMemo() {
  const byCaller = new WeakMap<Caller, Map<Operation, { plan: Plan; buckets: BucketLimit[] }>>()
  return (caller: Caller, operation: Operation, plan: Plan): readonly BucketLimit[] => {
    let byOperation = byCaller.get(caller)
    if (byOperation === undefined) {
      byOperation = new Map()
      byCaller.set(caller, byOperation)
    }
    const known = byOperation.get(operation)
    if (known !== undefined && known.plan === plan) return known.buckets
    const buckets = plan.limits.map((planLimit) => ({
      bucket: bucketName(caller.applicationId, operation, planLimit),
      calls: planLimit.calls,
      windowSeconds: planLimit.windowSeconds,
    }))
    byOperation.set(operation, { plan, buckets })
    return buckets
  }
}
