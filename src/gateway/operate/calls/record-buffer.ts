import type { RecordedCall } from './recorded-call.ts'

/** Records waiting for the next flush, at most a fixed number. */
export interface RecordBuffer {
  /** Adds a record. In a full buffer it replaces an older one, of the same application or of one with more records. */
  push(record: RecordedCall): void
  /** Returns all records and empties the buffer. */
  take(): TakenRecords
  readonly size: number
}

/** The records taken, and the number dropped since the last time. */
export interface TakenRecords {
  readonly byApplication: ReadonlyMap<string, readonly RecordedCall[]>
  readonly size: number
  readonly lost: number
}

export interface RecordBufferOptions {
  /** Per application. (Default: 1,000) */
  readonly perApplication?: number
  /** In total. (Default: 2,000) */
  readonly capacity?: number
}

/** Once the ring is full, `oldest` is its first record. */
interface Ring {
  readonly records: RecordedCall[]
  oldest: number
}

export function createRecordBuffer(options: RecordBufferOptions = {}): RecordBuffer {
  const { perApplication = 1_000, capacity = 2_000 } = options
  let rings = new Map<string, Ring>()
  /** Rings by their number of records, so that the longest is found without a search. */
  let byLength: Set<Ring>[] = []
  let longest = 0
  let size = 0
  let lost = 0

  function append(applicationId: string, record: RecordedCall): void {
    let ring = rings.get(applicationId)
    if (ring === undefined) {
      ring = { records: [], oldest: 0 }
      rings.set(applicationId, ring)
    }
    const { length } = ring.records
    // Insert after the newest record, which stands just before the oldest.
    if (ring.oldest === 0) ring.records.push(record)
    else {
      ring.records.splice(ring.oldest, 0, record)
      ring.oldest += 1
    }
    size += 1
    moved(ring, length)
  }

  function moved(ring: Ring, lengthBefore: number): void {
    const { length } = ring.records
    byLength[lengthBefore]?.delete(ring)
    const others = byLength[length]
    if (others === undefined) byLength[length] = new Set([ring])
    else others.add(ring)
    if (length > longest) longest = length
    while (longest > 0 && byLength[longest]?.size === 0) longest -= 1
  }

  function replaceOldest(ring: Ring, record: RecordedCall): void {
    ring.records[ring.oldest] = record
    ring.oldest = (ring.oldest + 1) % ring.records.length
    lost += 1
  }

  /** Drops the oldest record of the application with the most. */
  function makeRoom(): void {
    const [ring] = byLength[longest] ?? []
    if (ring === undefined) return
    ring.records.splice(ring.oldest, 1)
    if (ring.oldest === ring.records.length) ring.oldest = 0
    size -= 1
    lost += 1
    moved(ring, ring.records.length + 1)
  }

  return {
    push(record) {
      const id = record.application_id
      const ring = rings.get(id)
      const length = ring?.records.length ?? 0
      if (length < perApplication && size < capacity) append(id, record)
      else if (longest > length + 1) {
        makeRoom()
        append(id, record)
      } else if (ring !== undefined) replaceOldest(ring, record)
      else lost += 1
    },

    take() {
      const byApplication = new Map<string, readonly RecordedCall[]>()
      for (const [id, { records }] of rings) byApplication.set(id, records)
      const taken = { byApplication, size, lost }
      rings = new Map()
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
