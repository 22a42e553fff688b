import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'

/** Counts of one application, operation and minute. Names and types match the statement in `usage-writer.ts`. */
export interface UsageCounts {
  readonly application_id: string
  readonly api: string
  readonly version: string
  readonly operation: string
  /** Minutes since 1970. */
  minute: number
  admitted: number
  refused: number
  refused_by_limit: number
  errors: number
  duration_ms_sum: number
  duration_ms_max: number
}

/** What a call addressed, as far as it is known. */
export type UsageSubject = Operation | ApiVersion | undefined

/** Counts waiting for the next flush. */
export interface UsageBuffer {
  /**
   * Returns the place for a call's counts, valid until they are taken;
   * undefined when the buffer is full.
   *
   * @param holder belongs to one application and subject; keeps their place for
   * later calls
   */
  find(
    applicationId: string,
    subject: UsageSubject,
    minute: number,
    holder?: object,
  ): UsageCounts | undefined
  /** Takes at most `rowsMax` counts. Their places start again at 0. */
  take(rowsMax: number): UsageCounts[]
  /** Number of counts to take. */
  readonly waiting: number
}

class Place {
  /** Whether it holds counts that were not taken yet. */
  isWaiting = false
  /** Number of times all places had been dropped before this one was made. */
  readonly generation: number
  readonly counts: UsageCounts

  constructor(generation: number, counts: UsageCounts) {
    this.generation = generation
    this.counts = counts
  }
}

/** After this number of minutes all places are dropped, used or not. A full buffer drops them sooner, but not while too many counts wait. */
const keptMinutes = 10

/**
 * Keeps a place for every application and operation across many flushes.
 * Creating new places for each flush caused most of a busy gateway's garbage
 * collection.
 *
 * Counts are taken in portions just before they are written, so copies are
 * short-lived, and a failed flush leaves the other counts here.
 *
 * @param options.capacity maximum number of places, of dropped places that
 * still wait, and of waiting counts of past minutes, each (default 100,000,
 * about 200 bytes each)
 */
export function createUsageBuffer({ capacity = 100_000 } = {}): UsageBuffer {
  /** Per application by {@link nameOf}: an operation object as key would keep its old configuration in memory after a reload. */
  let applications = new Map<string, Map<string, Place>>()
  /** The place last found for a holder. */
  const byHolder = new WeakMap<object, Place>()
  let size = 0
  let generation = 0
  /** The minute in which the oldest place was made. */
  let since = Number.NEGATIVE_INFINITY
  /** Waiting places, from index `first` on. */
  let counting: Place[] = []
  let first = 0
  /** Waiting counts of past minutes. */
  const ended: UsageCounts[] = []

  function placeOf(applicationId: string, subject: UsageSubject): Place | undefined {
    const name = nameOf(subject)
    let subjects = applications.get(applicationId)
    const known = subjects?.get(name)
    if (known !== undefined) return known
    if (size >= capacity) return undefined
    if (subjects === undefined) {
      subjects = new Map()
      applications.set(applicationId, subjects)
    }
    const place = new Place(generation, emptyCounts(applicationId, subject))
    subjects.set(name, place)
    size += 1
    return place
  }

  function forgetPlaces(minute: number): void {
    // Their counts are still in `counting`, which would grow as long as no flush succeeds.
    if (counting.length - first > capacity) return
    applications = new Map()
    size = 0
    generation += 1
    since = minute
  }

  return {
    find(applicationId, subject, minute, holder) {
      // In either direction: after a clock was ahead for a while, the places must not stay until it gets there again.
      if (Math.abs(minute - since) >= (size < capacity ? keptMinutes : 1)) forgetPlaces(minute)
      const held = holder === undefined ? undefined : byHolder.get(holder)
      const isHeld = held?.generation === generation
      const place = isHeld ? held : placeOf(applicationId, subject)
      if (place === undefined) return undefined
      if (holder !== undefined && !isHeld) byHolder.set(holder, place)
      const { counts } = place
      if (!place.isWaiting) {
        place.isWaiting = true
        counting.push(place)
      } else if (counts.minute === minute) return counts
      else if (ended.length < capacity) ended.push({ ...counts })
      else return undefined
      reset(counts, minute)
      return counts
    },

    take(rowsMax) {
      const taken = ended.splice(-rowsMax, rowsMax)
      while (taken.length < rowsMax) {
        const place = counting[first]
        if (place === undefined) break
        first += 1
        place.isWaiting = false
        taken.push({ ...place.counts })
      }
      // A busy gateway never reaches the end of the list.
      if (first > counting.length / 2) {
        counting = counting.slice(first)
        first = 0
      }
      return taken
    },

    get waiting() {
      return ended.length + counting.length - first
    },
  }
}

/** The same name for the same operation or API version in every configuration. */
function nameOf(subject: UsageSubject): string {
  if (subject === undefined) return ''
  const operation = 'id' in subject ? subject.id : ''
  return `${subject.api} ${subject.version} ${operation}`
}

function emptyCounts(applicationId: string, subject: UsageSubject): UsageCounts {
  return {
    application_id: applicationId,
    api: subject?.api ?? '',
    version: subject?.version ?? '',
    operation: subject !== undefined && 'id' in subject ? subject.id : '',
    minute: 0,
    admitted: 0,
    refused: 0,
    refused_by_limit: 0,
    errors: 0,
    duration_ms_sum: 0,
    duration_ms_max: 0,
  }
}

function reset(counts: UsageCounts, minute: number): void {
  counts.minute = minute
  counts.admitted = 0
  counts.refused = 0
  counts.refused_by_limit = 0
  counts.errors = 0
  counts.duration_ms_sum = 0
  counts.duration_ms_max = 0
}
