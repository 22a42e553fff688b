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

/** A {@link UsageSubject} under a name of its own. */
interface NamedSubject {
  readonly key: string
  readonly names: SubjectNames
}

/** A row as `usage-writer.ts` writes it: what one application did with one operation in a minute. Numbers are of calls. */
export interface UsageRow extends SubjectNames, Partial<UsageRest> {
  readonly application_id: string
  /** Minutes since 1970. */
  readonly minute: number
  readonly admitted: number
  readonly duration_ms_sum: number
  readonly duration_ms_max: number
  /** The bucket of durations of the first admitted call, and how many were in it while all were. */
  readonly bucket: number
  readonly in_bucket: number
  readonly answered_2xx: number
}

/** What a row lacks if every call was admitted and answered with success, in one bucket, as under load most are. */
interface UsageRest {
  readonly refused: number
  readonly refused_by_limit: number
  readonly errors: number
  readonly client_errors: number
  readonly answered_3xx: number
  /** Without 429. */
  readonly answered_4xx: number
  readonly answered_429: number
  readonly answered_5xx: number
  readonly unanswered: number
  /** Calls counted under limits that are only rehearsed. */
  readonly rehearsed: number
  /** The part that these limits would have refused. */
  readonly rehearsed_refused: number
  /** Admitted calls by bucket, if they are in several. */
  readonly buckets: readonly number[] | undefined
}

/**
 * Where the calls of one application and operation are counted, from one flush
 * to the next. It is kept and used again: under load most rows have one call,
 * and an object for each would be the larger part of what the collector copies.
 */
export class UsageCounts {
  readonly applicationId: string
  readonly subject: NamedSubject
  /** Where the buffer keeps it; undefined once another one is there in its place. */
  home: object | undefined = undefined
  /** Whether it is among those to take. */
  isWaiting = false
  minute = 0
  admitted = 0
  refused = 0
  refusedByLimit = 0
  errors = 0
  clientErrors = 0
  durationMsSum = 0
  durationMsMax = 0
  answered2xx = 0
  answered3xx = 0
  answered4xx = 0
  answered429 = 0
  answered5xx = 0
  unanswered = 0
  rehearsed = 0
  rehearsedRefused = 0
  bucket = 0
  inBucket = 0
  buckets: number[] | undefined = undefined

  constructor(applicationId: string, subject: NamedSubject) {
    this.applicationId = applicationId
    this.subject = subject
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

  /** Hands over what was counted, and begins at 0. */
  take(): UsageRow {
    const { names } = this.subject
    const row = {
      application_id: this.applicationId,
      api: names.api,
      version: names.version,
      operation: names.operation,
      minute: this.minute,
      admitted: this.admitted,
      duration_ms_sum: this.durationMsSum,
      duration_ms_max: this.durationMsMax,
      bucket: this.bucket,
      in_bucket: this.inBucket,
      answered_2xx: this.answered2xx,
    }
    const taken = this.#isPlain ? row : { ...row, ...this.#takeRest() }
    this.isWaiting = false
    this.admitted = 0
    this.durationMsSum = 0
    this.durationMsMax = 0
    this.inBucket = 0
    this.answered2xx = 0
    return taken
  }

  get #isPlain(): boolean {
    return (
      this.admitted === this.answered2xx &&
      this.refused + this.errors + this.rehearsed === 0 &&
      this.buckets === undefined
    )
  }

  #takeRest(): UsageRest {
    const rest = {
      refused: this.refused,
      refused_by_limit: this.refusedByLimit,
      errors: this.errors,
      client_errors: this.clientErrors,
      answered_3xx: this.answered3xx,
      answered_4xx: this.answered4xx,
      answered_429: this.answered429,
      answered_5xx: this.answered5xx,
      unanswered: this.unanswered,
      rehearsed: this.rehearsed,
      rehearsed_refused: this.rehearsedRefused,
      buckets: this.buckets,
    }
    this.refused = 0
    this.refusedByLimit = 0
    this.errors = 0
    this.clientErrors = 0
    this.answered3xx = 0
    this.answered4xx = 0
    this.answered429 = 0
    this.answered5xx = 0
    this.unanswered = 0
    this.rehearsed = 0
    this.rehearsedRefused = 0
    this.buckets = undefined
    return rest
  }
}

/** What a call is counted as. */
export interface UsageKey {
  readonly applicationId: string
  readonly subject: UsageSubject
  /** Minutes since 1970. */
  readonly minute: number
  /** What an earlier call of the same application and subject got, perhaps long ago. */
  readonly former?: UsageCounts | undefined
}

/** Counts waiting for the next flush. */
export interface UsageBuffer {
  /**
   * Returns where a call is to be counted at once; undefined when the buffer is
   * full. While counts of a later minute wait, after the clock was set back, it
   * is counted into that one.
   */
  find(key: UsageKey): UsageCounts | undefined
  /** Takes at most `rowsMax` rows, oldest minute first. No two that wait are of the same application, subject and minute. */
  take(rowsMax: number): UsageRow[]
  /** Number of rows to take. */
  readonly waiting: number
  /** Whether half of the room for them is taken. */
  readonly isHalfFull: boolean
}

const unknown: NamedSubject = { key: '', names: { api: '', version: '', operation: '' } }
const known = new WeakMap<Operation | ApiVersion, NamedSubject>()

/** By name and not by object, which a reload replaces. */
function named(subject: UsageSubject): NamedSubject {
  if (subject === undefined) return unknown
  const found = known.get(subject)
  if (found !== undefined) return found
  const { api, version } = subject
  const operation = 'id' in subject ? subject.id : ''
  const made = { key: `${api} ${version} ${operation}`, names: { api, version, operation } }
  known.set(subject, made)
  return made
}

/** By application, for each subject. */
type Places = Map<string, Map<string, UsageCounts>>

/**
 * Counts are taken in batches just before they are written, so a failed flush
 * leaves the other counts here.
 *
 * @param options.capacity maximum number of rows that wait (default 100,000),
 * and half of the places that are kept, about 300 bytes each
 */
export function createUsageBuffer({ capacity = 100_000 } = {}): UsageBuffer {
  let places: Places = new Map()
  let size = 0
  let waiting: UsageCounts[] = []
  /** Index of the first that was not taken. */
  let first = 0

  function keep(counts: UsageCounts): void {
    const { applicationId, subject } = counts
    const applications: Map<string, UsageCounts> = places.get(subject.key) ?? new Map()
    places.set(subject.key, applications)
    const replaced = applications.get(applicationId)
    if (replaced === undefined) size += 1
    else replaced.home = undefined
    applications.set(applicationId, counts)
    counts.home = places
  }

  /** Keeps only those that wait, because no second one of their names may. */
  function makeRoom(): void {
    places = new Map()
    size = 0
    const kept = waiting.slice(first).filter(({ home }) => home !== undefined)
    for (const counts of kept) keep(counts)
  }

  function known({ applicationId, subject, former }: UsageKey): UsageCounts | undefined {
    if (former?.home === places) return former
    return places.get(named(subject).key)?.get(applicationId)
  }

  function create({ applicationId, subject }: UsageKey): UsageCounts {
    if (size >= 2 * capacity) makeRoom()
    const counts = new UsageCounts(applicationId, named(subject))
    keep(counts)
    return counts
  }

  return {
    find(key) {
      const found = known(key)
      const isWaiting = found?.isWaiting === true
      if (isWaiting && key.minute <= found.minute) return found
      if (waiting.length - first >= capacity) return undefined
      const counts = found === undefined || isWaiting ? create(key) : found
      counts.isWaiting = true
      counts.minute = key.minute
      waiting.push(counts)
      return counts
    },

    take(rowsMax) {
      const taken = waiting.slice(first, first + rowsMax)
      first += taken.length
      if (first === waiting.length || first > capacity) {
        waiting = waiting.slice(first)
        first = 0
      }
      return taken.map((counts) => counts.take())
    },

    get waiting() {
      return waiting.length - first
    },

    get isHalfFull() {
      return waiting.length - first > capacity / 2
    },
  }
}
