import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'
import { noDurations } from '../../../registry/usage/duration-buckets.ts'

/** Counts of one application, operation and minute. Names and types match the statement in `usage-writer.ts`. */
export interface UsageCounts {
  readonly application_id: string
  readonly api: string
  readonly version: string
  readonly operation: string
  /** Minutes since 1970. */
  readonly minute: number
  admitted: number
  refused: number
  refused_by_limit: number
  errors: number
  duration_ms_sum: number
  duration_ms_max: number
  /** Admitted calls by bucket. */
  readonly durations: number[]
  answered_2xx: number
  answered_3xx: number
  /** Without 429. */
  answered_4xx: number
  answered_429: number
  answered_5xx: number
  unanswered: number
  /** Calls counted under limits that are only rehearsed. */
  rehearsed: number
  /** The part that these limits would have refused. */
  rehearsed_refused: number
}

/** Counts before the first call. */
export function noCounts(): Omit<
  UsageCounts,
  'application_id' | 'api' | 'version' | 'operation' | 'minute'
> {
  return {
    admitted: 0,
    refused: 0,
    refused_by_limit: 0,
    errors: 0,
    duration_ms_sum: 0,
    duration_ms_max: 0,
    durations: noDurations(),
    answered_2xx: 0,
    answered_3xx: 0,
    answered_4xx: 0,
    answered_429: 0,
    answered_5xx: 0,
    unanswered: 0,
    rehearsed: 0,
    rehearsed_refused: 0,
  }
}

/** What a call addressed, as far as known. */
export type UsageSubject = Operation | ApiVersion | undefined

/** Counts waiting for the next flush. */
export interface UsageBuffer {
  /** Returns a call's counts, valid until they are taken; undefined when the buffer is full. */
  find(applicationId: string, subject: UsageSubject, minute: number): UsageCounts | undefined
  /** Takes at most `rowsMax` counts, oldest first. */
  take(rowsMax: number): UsageCounts[]
  /** Number of counts to take. */
  readonly waiting: number
}

/**
 * Counts are taken in batches just before they are written, so a failed flush
 * leaves the other counts here.
 *
 * @param options.capacity maximum number of waiting counts (default 100,000, about 500 bytes each)
 */
export function createUsageBuffer({ capacity = 100_000 } = {}): UsageBuffer {
  const waiting = new Map<string, UsageCounts>()

  return {
    find(applicationId, subject, minute) {
      const { api = '', version = '' } = subject ?? {}
      const operation = subject !== undefined && 'id' in subject ? subject.id : ''
      // Not the operation itself, which would keep its old configuration in memory after a reload.
      const name = `${applicationId} ${minute} ${api} ${version} ${operation}`
      const known = waiting.get(name)
      if (known !== undefined || waiting.size >= capacity) return known
      const names = { application_id: applicationId, api, version, operation, minute }
      const counts = { ...names, ...noCounts() }
      waiting.set(name, counts)
      return counts
    },

    take(rowsMax) {
      const taken: UsageCounts[] = []
      for (const [name, counts] of waiting) {
        if (taken.length >= rowsMax) break
        waiting.delete(name)
        taken.push(counts)
      }
      return taken
    },

    get waiting() {
      return waiting.size
    },
  }
}
