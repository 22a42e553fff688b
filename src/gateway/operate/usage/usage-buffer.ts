import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'

/** Counts of one application, operation and minute; named and shaped as the statement of `usage-writer.ts` reads them. */
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

/** What a call was to: as much as is known. */
export type UsageSubject = Operation | ApiVersion | undefined

/** Counts that wait for the next flush. */
export interface UsageBuffer {
  /**
   * Where the counts of a call go, until they are taken; undefined when there is no room for more.
   *
   * @param holder belongs to this application and subject only; its calls find their place there
   */
  find(
    applicationId: string,
    subject: UsageSubject,
    minute: number,
    holder?: PlaceHolder,
  ): UsageCounts | undefined
  /** Hands over so many counts at most; in their places it is counted anew. */
  take(rowsMax: number): UsageCounts[]
  /** How many there are to be taken. */
  readonly waiting: number
}

/** What the calls of one application to one operation have in common. */
export interface PlaceHolder {
  /** For the buffer alone. */
  usage: unknown
}

class Place {
  /** Something was counted here that nobody has taken. */
  isWaiting = false
  /** How often all places were forgotten before this one was made. */
  readonly generation: number
  readonly counts: UsageCounts

  constructor(generation: number, counts: UsageCounts) {
    this.generation = generation
    this.counts = counts
  }
}

/** All places are forgotten after so long, in use or not; sooner when there is no more room, and not while too many wait. */
const keptMinutes = 10

/**
 * Keeps a place for every application and operation over many flushes: made
 * anew for each, places were most of what a busy gateway's memory had to be
 * cleared of.
 *
 * Counts are taken in portions, just before they are written: what is copied
 * then is gone a moment later, and a flush that fails leaves the others here.
 *
 * @param options.capacity places of application and operation, as many that are forgotten and wait, and as many counts of minutes that ended (default 100,000, at some 200 bytes each)
 */
export function createUsageBuffer({ capacity = 100_000 } = {}): UsageBuffer {
  let applications = new Map<string, Map<UsageSubject, Place>>()
  let size = 0
  let generation = 0
  /** The minute in which the oldest of the places was made. */
  let since = Number.NEGATIVE_INFINITY
  /** Places that wait, from the one at `first` on. */
  let counting: Place[] = []
  let first = 0
  /** Counts of minutes that ended before they were taken. */
  const ended: UsageCounts[] = []

  function placeOf(applicationId: string, subject: UsageSubject): Place | undefined {
    let subjects = applications.get(applicationId)
    const known = subjects?.get(subject)
    if (known !== undefined) return known
    if (size >= capacity) return undefined
    if (subjects === undefined) {
      subjects = new Map()
      applications.set(applicationId, subjects)
    }
    const place = new Place(generation, emptyCounts(applicationId, subject))
    subjects.set(subject, place)
    size += 1
    return place
  }

  function forgetPlaces(minute: number): void {
    // What was counted in them is still in `counting`, which would grow for as long as nobody takes it.
    if (counting.length - first > capacity) return
    applications = new Map()
    size = 0
    generation += 1
    since = minute
  }

  return {
    find(applicationId, subject, minute, holder) {
      // Either way: a clock that was ahead for a while must not keep them until it is there again.
      if (Math.abs(minute - since) >= (size < capacity ? keptMinutes : 1)) forgetPlaces(minute)
      const held = holder?.usage
      const isHeld = held instanceof Place && held.generation === generation
      const place = isHeld ? held : placeOf(applicationId, subject)
      if (place === undefined) return undefined
      if (holder !== undefined && !isHeld) holder.usage = place
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
      // A busy gateway never comes to the end of it.
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
