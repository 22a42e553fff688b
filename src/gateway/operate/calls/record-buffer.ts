import type { RecordedCall } from './recorded-call.ts'

/** Records that wait for the next flush: a bounded number, whatever happens. */
export interface RecordBuffer {
  /**
   * Offers the record of a call. Where there is no room an older one of an
   * application that has more makes way; one of its own makes way as often as
   * leaves every call of the application the same chance.
   *
   * @param make makes the record; not called for one that is not kept
   */
  offer(applicationId: string, make: () => RecordedCall): void
  /** Hands everything over and is empty. */
  take(): TakenRecords
  readonly size: number
}

/** What waited, and how many calls have no record, since the last time. */
export interface TakenRecords {
  readonly byApplication: ReadonlyMap<string, readonly RecordedCall[]>
  readonly size: number
  readonly lost: number
}

export interface RecordBufferOptions {
  /** Of one application. (Default: 1,000) */
  readonly perApplication?: number
  /** In all. (Default: 2,000) */
  readonly capacity?: number
  /** From 0 to below 1. (Default: `Math.random`) */
  readonly random?: () => number
}

/** Of one application. */
interface Sample {
  readonly records: RecordedCall[]
  /** Calls it was drawn from. */
  offered: number
}

export function createRecordBuffer(options: RecordBufferOptions = {}): RecordBuffer {
  const { perApplication = 1_000, capacity = 2_000, random = Math.random } = options
  let samples = new Map<string, Sample>()
  /** By how many records they have, so that the longest is found without a look at all of them. */
  let byLength: Set<Sample>[] = []
  let longest = 0
  let size = 0
  let lost = 0

  function append(applicationId: string, record: RecordedCall): void {
    let sample = samples.get(applicationId)
    if (sample === undefined) {
      sample = { records: [], offered: 0 }
      samples.set(applicationId, sample)
    }
    const { length } = sample.records
    sample.records.push(record)
    sample.offered += 1
    size += 1
    moved(sample, length)
  }

  function moved(sample: Sample, lengthBefore: number): void {
    const { length } = sample.records
    byLength[lengthBefore]?.delete(sample)
    const others = byLength[length]
    if (others === undefined) byLength[length] = new Set([sample])
    else others.add(sample)
    if (length > longest) longest = length
    while (longest > 0 && byLength[longest]?.size === 0) longest -= 1
  }

  /** Draws from all calls offered so far (Vitter 1985, algorithm R), and spares the records of those that lose. */
  function draw(sample: Sample, make: () => RecordedCall): void {
    sample.offered += 1
    lost += 1
    const drawn = Math.floor(random() * sample.offered)
    if (drawn < sample.records.length) sample.records[drawn] = make()
  }

  /** The application with the most records gives its first. */
  function makeRoom(): void {
    const [sample] = byLength[longest] ?? []
    const last = sample?.records.pop()
    if (sample === undefined || last === undefined) return
    if (sample.records.length > 0) sample.records[0] = last
    size -= 1
    lost += 1
    moved(sample, sample.records.length + 1)
  }

  return {
    offer(applicationId, make) {
      const sample = samples.get(applicationId)
      const length = sample?.records.length ?? 0
      if (length < perApplication && size < capacity) append(applicationId, make())
      else if (longest > length + 1) {
        makeRoom()
        append(applicationId, make())
      } else if (sample !== undefined) draw(sample, make)
      else lost += 1
    },

    take() {
      const byApplication = new Map<string, readonly RecordedCall[]>()
      for (const [id, { records }] of samples) byApplication.set(id, records)
      const taken = { byApplication, size, lost }
      samples = new Map()
      byLength = []
      longest = 0
      size = 0
      lost = 0
      return taken
    },

    get size() {
      return size
    },
  }
}
