import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'
import { noDurations } from '../../../registry/usage/duration-buckets.ts'

/** What a call addressed, as far as known. */
export type UsageSubject = Operation | ApiVersion | undefined

/** The names of a {@link UsageSubject}; empty where unknown. */
export interface SubjectNames {
  readonly api: string
  readonly version: string
  readonly operation: string
}

/**
 * Counts of one application, operation and minute. Under load most have one
 * call, so they are small: a class, and one bucket of durations until a call
 * needs another.
 */
export class UsageCounts {
  readonly applicationId: string
  readonly names: SubjectNames
  /** Minutes since 1970. */
  readonly minute: number
  admitted = 0
  refused = 0
  refusedByLimit = 0
  errors = 0
  durationMsSum = 0
  durationMsMax = 0
  answered2xx = 0
  answered3xx = 0
  /** Without 429. */
  answered4xx = 0
  answered429 = 0
  answered5xx = 0
  unanswered = 0
  /** Calls counted under limits that are only rehearsed. */
  rehearsed = 0
  /** The part that these limits would have refused. */
  rehearsedRefused = 0
  /** The bucket of the first admitted call, and how many were in it while all were. */
  bucket = 0
  inBucket = 0
  /** Admitted calls by bucket, once they are in several. */
  buckets: number[] | undefined = undefined

  constructor(applicationId: string, names: SubjectNames, minute: number) {
    this.applicationId = applicationId
    this.names = names
    this.minute = minute
  }

  /** Counts an admitted call into its bucket of durations. */
  lasted(bucket: number): void {
    if (this.buckets === undefined && (this.inBucket === 0 || this.bucket === bucket)) {
      this.bucket = bucket
      this.inBucket += 1
    } else {
      this.buckets ??= noDurations().with(this.bucket, this.inBucket)
      this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    }
  }

  /** Whether every call was admitted and answered with success, in one bucket. */
  get isPlain(): boolean {
    return (
      this.admitted === this.answered2xx &&
      this.refused + this.errors + this.rehearsed === 0 &&
      this.buckets === undefined
    )
  }
}

/** Counts waiting for the next flush. */
export interface UsageBuffer {
  /** Returns a call's counts, valid until they are taken; undefined when the buffer is full. */
  find(applicationId: string, subject: UsageSubject, minute: number): UsageCounts | undefined
  /** Takes at most `rowsMax` counts, oldest minute first. */
  take(rowsMax: number): UsageCounts[]
  /** Number of counts to take. */
  readonly waiting: number
}

/** A {@link UsageSubject} under a name of its own. */
interface NamedSubject extends SubjectNames {
  readonly key: string
}

const unknown: NamedSubject = { key: '', api: '', version: '', operation: '' }
const known = new WeakMap<Operation | ApiVersion, NamedSubject>()

/** By name and not by object, which a reload replaces. */
function named(subject: UsageSubject): NamedSubject {
  if (subject === undefined) return unknown
  const found = known.get(subject)
  if (found !== undefined) return found
  const { api, version } = subject
  const operation = 'id' in subject ? subject.id : ''
  const made = { key: `${api} ${version} ${operation}`, api, version, operation }
  known.set(subject, made)
  return made
}

/** By application, for each subject. */
type MinuteCounts = Map<string, Map<string, UsageCounts>>

/**
 * Counts are taken in batches just before they are written, so a failed flush
 * leaves the other counts here.
 *
 * @param options.capacity maximum number of waiting counts (default 100,000, about 300 bytes each)
 */
export function createUsageBuffer({ capacity = 100_000 } = {}): UsageBuffer {
  const minutes = new Map<number, MinuteCounts>()
  let waiting = 0

  return {
    find(applicationId, subject, minute) {
      const names = named(subject)
      const subjects: MinuteCounts = minutes.get(minute) ?? new Map()
      const applications: Map<string, UsageCounts> = subjects.get(names.key) ?? new Map()
      const found = applications.get(applicationId)
      if (found !== undefined || waiting >= capacity) return found
      minutes.set(minute, subjects)
      subjects.set(names.key, applications)
      const counts = new UsageCounts(applicationId, names, minute)
      applications.set(applicationId, counts)
      waiting += 1
      return counts
    },

    take(rowsMax) {
      const taken: UsageCounts[] = []
      for (const [minute, subjects] of minutes) {
        for (const [key, applications] of subjects) {
          const isWhole = taken.length + applications.size <= rowsMax
          if (isWhole) subjects.delete(key)
          for (const counts of applications.values()) {
            if (taken.length >= rowsMax) return taken
            if (!isWhole) applications.delete(counts.applicationId)
            waiting -= 1
            taken.push(counts)
          }
        }
        minutes.delete(minute)
      }
      return taken
    },

    get waiting() {
      return waiting
    },
  }
}
