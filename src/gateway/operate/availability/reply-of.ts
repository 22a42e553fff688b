import { seriesMs } from '../../../registry/availability/outage-rule.ts'
import type { FinishedCall } from '../metrics.ts'

/**
 * What a call says about the availability of its interface:
 *
 * - `success`: the bank answered, within 30 s, and not with its own error.
 * - `unanswered`: the bank gave no answer.
 * - `error`: the bank answered with its own error. Counts as an error, but
 *   neither as one of five unanswered calls nor as the end of an outage.
 * - `refused`: the gateway refused the call, and the caller can do something about
 *   it (4xx, 429), or the caller left at once. Says nothing about the bank.
 * - `foreign`: no request of a known application for an operation. Not counted.
 */
export type Reply = 'success' | 'unanswered' | 'error' | 'refused' | 'foreign'

/** A client that leaves earlier has not waited for an answer. */
const patienceMs = 1_000

/** What the bank's own front says when the bank behind it does not answer. */
const absent: ReadonlySet<number> = new Set([502, 503, 504])
/** Statuses from 500 that speak of the request, not of the bank. */
const requestsFault: ReadonlySet<number> = new Set([501, 505, 508])

export interface EndedReply {
  readonly finished: Pick<FinishedCall, 'operation' | 'status' | 'outcome' | 'totalSeconds'>
  /** Whether the application is known. */
  readonly hasCaller: boolean
  /** From arrival to the first byte of the answer; undefined: none was sent. */
  readonly firstByteMs: number | undefined
}

/** The one place that decides what counts as "not replied to" (docs/availability.md). */
export function replyOf({ finished, hasCaller, firstByteMs }: EndedReply): Reply {
  const { operation, status, outcome, totalSeconds } = finished
  if (operation === undefined || outcome === 'preflight') return 'foreign'
  if (outcome === 'cut') return 'unanswered'
  if (outcome === 'aborted') {
    if (!hasCaller) return 'foreign'
    // Its answer had begun, so the bank is up.
    if (firstByteMs !== undefined && status < 500) return inTime(firstByteMs)
    return totalSeconds * 1_000 >= patienceMs ? 'unanswered' : 'refused'
  }
  if (outcome === 'forwarded') {
    if (absent.has(status)) return 'unanswered'
    if (status >= 500) return 'error'
    return inTime(firstByteMs ?? totalSeconds * 1_000)
  }
  // A refusal of the gateway. Without a registry it cannot know the caller, and that is not the caller's fault.
  if (status >= 500 && !requestsFault.has(status)) return 'unanswered'
  return hasCaller ? 'refused' : 'foreign'
}

function inTime(firstByteMs: number): Reply {
  return firstByteMs <= seriesMs ? 'success' : 'unanswered'
}

/** Whether the call counts as an error for which the bank answers. */
export function isBanksError(reply: Reply): boolean {
  return reply === 'unanswered' || reply === 'error'
}
