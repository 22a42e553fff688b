import type { Refusal } from '../../../platform/http/problem.ts'
import type { Counter, Grant } from '../../counters/counter.ts'
import { endOfTime, resetsAt, windowSeconds } from '../../counters/window.ts'
import { secondsUp, tightest } from '../answer/limit-headers.ts'
import type { EntitledCall, GrantedCall, ReceivedCall } from '../call.ts'
import type { DrilledGrant } from '../drilled-grant.ts'
import type { Rehearse } from '../rehearse.ts'
import { type Check, guarded } from '../run-checks.ts'

export interface LimitOptions {
  readonly counter: Pick<Counter, 'grant'>
  readonly rehearse: Rehearse
  /** Undefined: no call is a drill. */
  readonly drilledGrant: DrilledGrant | undefined
  /** Milliseconds since 1970; only for the member `resetsAt`. */
  readonly now: () => number
}

/**
 * Asks the counter for one call and refuses it when the window is used up. The
 * last check, so that a call refused for another reason is never counted.
 */
export function limit(options: LimitOptions): Check<ReceivedCall, GrantedCall> {
  const { counter, rehearse, drilledGrant, now } = options
  return (call, next) => {
    const { plan, buckets } = call.entitlement
    const { drill } = call
    if (drill !== undefined && drilledGrant !== undefined) {
      drilledGrant(
        drill,
        call.entitlement,
        guarded(next, (grant) => {
          if (grant === undefined) next(countersUnavailable(countersRetryMs))
          else if (isPassed(call, grant)) next(call.granted(grant))
          else next(refuseByGrant(call, grant, now()))
        }),
      )
      return
    }
    rehearse(call)
    counter.grant(
      buckets,
      plan.onStoreOutage,
      guarded(next, (grant) => {
        next(isPassed(call, grant) ? call.granted(grant) : refuseByGrant(call, grant, now()))
      }),
    )
  }
}

/** A plan that only observes passes every call, except the drill that asks to see what it will refuse. */
export function isPassed({ entitlement, drill }: EntitledCall, grant: Grant): boolean {
  return grant.admitted || (entitlement.plan.mode === 'observe' && drill !== '429')
}

/** For a drill whose limits cannot be read: by then the next attempt to reach the store is over. */
const countersRetryMs = 1_000

function countersUnavailable(retryAfterMs: number): Refusal {
  return { code: 'COUNTERS_UNAVAILABLE', headers: { 'retry-after': secondsUp(retryAfterMs) } }
}

/**
 * The refusal of a call that its grant rejects, because a window is used up or the store is away. The response shows the
 * state of the limits.
 */
export function refuseByGrant(call: EntitledCall, grant: Grant, nowMs: number): Refusal {
  call.refusedBy(grant)
  const { plan } = call.entitlement
  if (grant.decision === 'degraded_refused' && plan.onStoreOutage === 'deny') {
    return countersUnavailable(grant.retryAfterMs)
  }
  return quotaExceeded(call, grant, nowMs)
}

/** The refusal of a call above its limit (draft-ietf-httpapi-ratelimit-headers-10, problem type quota-exceeded). */
function quotaExceeded(call: EntitledCall, grant: Grant, nowMs: number): Refusal {
  const { limits } = call.entitlement.plan
  const exhausted = limits.filter((_, at) => grant.standings[at]?.granted === false)
  const at = tightest(grant.standings)
  const decisive = limits[at]
  const isDegraded = grant.decision === 'degraded_refused'
  return {
    code: 'QUOTA_EXCEEDED',
    detail: isDegraded
      ? 'The gateway cannot reach its counters, and this process has used up its share of the limit.'
      : `You have used ${decisive?.calls === 1 ? 'the only call' : `all ${decisive?.calls} calls`}. Try again when the limit resets.`,
    headers: { 'retry-after': secondsUp(grant.retryAfterMs) },
    members: {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'violated-policies': exhausted.map((exceeded) => exceeded.name),
      operation: call.operation.id,
      limit: decisive?.calls,
      windowSeconds: decisive && windowSeconds(grant.standings[at]?.window, decisive.windowLength),
      ...(isDegraded
        ? { degraded: true }
        : { resetsAt: instant(resetsAt(nowMs, grant.retryAfterMs)) }),
    },
  }
}

let written = { ms: Number.NaN, text: '' }

/** ISO 8601, cached: windows end for thousands of calls at the same moment. */
function instant(ms: number): string {
  if (written.ms !== ms) written = { ms, text: new Date(Math.min(ms, endOfTime)).toISOString() }
  return written.text
}
