import { RecordedCall } from './recorded-call.ts'

/**
 * Records waiting to be written, at most a fixed number. They are kept and used
 * again: objects that are made for each call and wait were most of what the
 * collector copied, a tenth of a call at full load (`bench --section admitted`).
 */
export interface RecordBuffer {
  /**
   * Adds a record; in a full buffer, in place of the oldest.
   *
   * @param fill sets every member
   */
  add(fill: (record: RecordedCall) => void): void
  /** Takes the oldest records, at most `rowsMax`. */
  take(rowsMax: number): Readonly<RecordedCall>[]
  /** Returns how many were replaced since the last time. */
  takeReplaced(): number
  readonly size: number
}

export function createRecordBuffer(capacity = 2_000): RecordBuffer {
  const records: RecordedCall[] = []
  /** Index of the oldest that waits. */
  let first = 0
  let size = 0
  let replaced = 0

  return {
    add(fill) {
      if (size === capacity) {
        first = (first + 1) % capacity
        size -= 1
        replaced += 1
      }
      const at = (first + size) % capacity
      const record = records[at] ?? new RecordedCall()
      fill(record)
      records[at] = record
      size += 1
    },

    take(rowsMax) {
      const taken: Readonly<RecordedCall>[] = []
      for (; size > 0 && taken.length < rowsMax; size -= 1) {
        const oldest = records[first]
        // A copy: the record is filled in anew while this one is written.
        if (oldest !== undefined) taken.push({ ...oldest })
        first = (first + 1) % capacity
      }
      return taken
    },

    takeReplaced() {
      const since = replaced
      replaced = 0
      return since
    },

    get size() {
      return size
    },
  }
}
