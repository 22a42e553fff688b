import { bucketOf } from '../../../registry/usage/duration-buckets.ts'
import { type EndedCall, wasAdmitted } from '../ended-call.ts'
import type { RecordingMetrics } from '../metrics.ts'
import { type UsageBuffer, UsageCounts } from './usage-buffer.ts'

/** Counts a call into the minute in which it ended. */
export function countCall(
  usage: UsageBuffer,
  { call, caller, finished, endedAt }: EndedCall,
  metrics: Pick<RecordingMetrics, 'usageLost'>,
): void {
  const { refusal } = call
  const isAdmitted = wasAdmitted(finished)
  // The client left before the gateway decided the call.
  if (!isAdmitted && refusal === undefined) return
  const { entitlement } = call
  const row = usage.find({
    applicationId: caller.applicationId,
    subject: finished.operation ?? finished.version,
    minute: Math.floor(endedAt / 60_000),
    former: entitlement?.observed instanceof UsageCounts ? entitlement.observed : undefined,
  })
  if (row === undefined) {
    metrics.usageLost(1)
    return
  }
  if (entitlement !== undefined) entitlement.observed = row
  if (isAdmitted) {
    const totalMs = finished.totalSeconds * 1000
    row.admitted += 1
    row.durationMsSum += totalMs
    row.durationMsMax = Math.max(row.durationMsMax, totalMs)
    row.lasted(bucketOf(totalMs))
    if (finished.status >= 500 || finished.outcome === 'cut') row.errors += 1
    else if (finished.status >= 400) row.clientErrors += 1
  } else {
    row.refused += 1
    if (refusal === 'QUOTA_EXCEEDED') row.refusedByLimit += 1
  }
  countAnswer(row, finished.status)
}

/** @param status 0: no answer was begun */
function countAnswer(row: UsageCounts, status: number): void {
  if (status >= 500) row.answered5xx += 1
  else if (status === 429) row.answered429 += 1
  else if (status >= 400) row.answered4xx += 1
  else if (status >= 300) row.answered3xx += 1
  else if (status >= 200) row.answered2xx += 1
  else row.unanswered += 1
}
