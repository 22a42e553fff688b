import type { Standing } from '../../counters/counter.ts'
import { resetsAt, windowSeconds } from '../../counters/window.ts'
import { tightest } from '../../edge/answer/limit-headers.ts'
import type { EndedCall } from '../ended-call.ts'
import type { RecordedCall } from './recorded-call.ts'

const brokenOff = 'The bank service broke its answer off.'

/**
 * Sets every member of a record to what is stored of a call. If a plan has
 * several limits, the record holds the tightest one.
 *
 * @param monotonicNow monotonic milliseconds at the end of the call
 */
export function fillRecord(record: RecordedCall, ended: EndedCall, monotonicNow: number): void {
  const { call, caller, finished, endedAt } = ended
  // When the store counted the call: for a refusal, a moment ago.
  const countedAt = call.forwardedAt === 0 ? endedAt : endedAt - (monotonicNow - call.forwardedAt)
  const grant = call.grant
  const decisive = grant === undefined ? 0 : tightest(grant.standings)
  const standing = grant?.standings[decisive]
  const limit = grant === undefined ? undefined : call.entitlement?.plan.limits[decisive]
  const { version, operation, decision, outcome, totalSeconds, upstreamSeconds } = finished
  record.application_id = caller.applicationId
  record.at = endedAt - totalSeconds * 1000
  record.request_id = call.requestId
  record.trace_id = call.trace.id
  record.drill = call.drill ?? null
  record.key_id = caller.keyId
  record.method = call.request.method ?? ''
  record.api = version?.api ?? null
  record.version = version?.version ?? null
  record.operation = operation?.id ?? null
  record.path = operation === undefined ? (call.publishedPath ?? null) : null
  record.outcome = outcome
  record.detail = outcome === 'cut' ? brokenOff : (call.refusalDetail ?? null)
  record.decision = decision ?? null
  record.status = finished.status
  record.limit_name = limit?.name ?? null
  record.limit_scope = limit?.scope ?? null
  record.limit_calls = limit?.calls ?? null
  record.window_seconds = (limit && windowSeconds(standing?.window, limit.windowLength)) ?? null
  record.calendar_window = typeof limit?.windowLength === 'string' ? limit.windowLength : null
  record.remaining = standing?.remaining ?? null
  record.resets_at = endOfWindow(standing, countedAt)
  record.total_ms = rounded(totalSeconds * 1000)
  record.upstream_ms = upstreamSeconds === undefined ? Number.NaN : rounded(upstreamSeconds * 1000)
}

function endOfWindow(standing: Standing | undefined, countedAt: number): number {
  if (standing?.resetMs === undefined) return Number.NaN
  return resetsAt(countedAt, standing.resetMs)
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
