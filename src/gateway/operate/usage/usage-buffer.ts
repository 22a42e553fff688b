import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'

/** Counts of one application, operation and minute; named and shaped as the statement of `usage-writer.ts` reads them. */
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
}

/** What a call was to: as much as is known. */
export type UsageSubject = Operation | ApiVersion | undefined

/** Counts that wait for the next flush. */
export interface UsageBuffer {
  /** Where the counts of a call go; undefined when there is no room for another row. */
  find(applicationId: string, subject: UsageSubject, minute: number): UsageCounts | undefined
  /** Hands everything over and is empty. */
  take(): UsageCounts[]
  readonly size: number
}

/** @param options.capacity rows of application, operation and minute (default 20,000) */
export function createUsageBuffer({ capacity = 20_000 } = {}): UsageBuffer {
  let rows: UsageCounts[] = []
  let applications = new Map<string, Map<UsageSubject, UsageCounts>>()
  let currentMinute = 0

  return {
    find(applicationId, subject, minute) {
      if (minute !== currentMinute) {
        // What was counted stays in `rows`; from here on new ones are found.
        applications = new Map()
        currentMinute = minute
      }
      let subjects = applications.get(applicationId)
      const known = subjects?.get(subject)
      if (known !== undefined) return known
      if (rows.length >= capacity) return undefined
      if (subjects === undefined) {
        subjects = new Map()
        applications.set(applicationId, subjects)
      }
      const row: UsageCounts = {
        application_id: applicationId,
        api: subject?.api ?? '',
        version: subject?.version ?? '',
        operation: subject !== undefined && 'id' in subject ? subject.id : '',
        minute,
        admitted: 0,
        refused: 0,
        refused_by_limit: 0,
        errors: 0,
        duration_ms_sum: 0,
        duration_ms_max: 0,
      }
      subjects.set(subject, row)
      rows.push(row)
      return row
    },

    take() {
      const taken = rows
      rows = []
      applications = new Map()
      return taken
    },

    get size() {
      return rows.length
    },
  }
}
