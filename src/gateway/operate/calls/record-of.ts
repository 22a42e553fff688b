import type { Standing } from '../../counters/counter.ts'
import { resetsAt, windowSeconds } from '../../counters/window.ts'
import { tightest } from '../../edge/answer/limit-headers.ts'
import type { EndedCall } from '../ended-call.ts'
import type { RecordedCall } from './recorded-call.ts'

const brokenOff = 'The bank service broke its answer off.'

/**
 * The stored record of a call. If a plan has several limits, it holds the
 * tightest one.
 *
 * @param monotonicNow monotonic milliseconds at the end of the call
 */
export function recordOf(ended: EndedCall, monotonicNow: number): RecordedCall {
  const { call, caller, finished, endedAt } = ended
  // When the store counted the call: for a refusal, a moment ago.
  const countedAt = call.forwardedAt === 0 ? endedAt : endedAt - (monotonicNow - call.forwardedAt)
  const grant = call.grant
  const decisive = grant === undefined ? 0 : tightest(grant.standings)
  const standing = grant?.standings[decisive]
  const limit = grant === undefined ? undefined : call.entitlement?.plan.limits[decisive]
  const { version, operation, decision, outcome, totalSeconds, upstreamSeconds } = finished
  return {
    application_id: caller.applicationId,
    at: endedAt - totalSeconds * 1000,
    request_id: call.requestId,
    trace_id: call.trace.id,
    drill: call.drill ?? null,
    key_id: caller.keyId,
    method: call.request.method ?? '',
    api: version?.api ?? null,
    version: version?.version ?? null,
    operation: operation?.id ?? null,
    outcome,
    detail: outcome === 'cut' ? brokenOff : (call.refusalDetail ?? null),
    decision: decision ?? null,
    status: finished.status,
    limit_name: limit?.name ?? null,
    limit_scope: limit?.scope ?? null,
    limit_calls: limit?.calls ?? null,
    window_seconds: (limit && windowSeconds(standing?.window, limit.windowLength)) ?? null,
    calendar_window: typeof limit?.windowLength === 'string' ? limit.windowLength : null,
    remaining: standing?.remaining ?? null,
    resets_at: endOfWindow(standing, countedAt),
    total_ms: rounded(totalSeconds * 1000),
    upstream_ms: upstreamSeconds === undefined ? null : rounded(upstreamSeconds * 1000),
  }
}

function endOfWindow(standing: Standing | undefined, countedAt: number): number | null {
  if (standing?.resetMs === undefined) return null
  return resetsAt(countedAt, standing.resetMs)
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
