import { RecordedCall } from './recorded-call.ts'

/**
 * Records waiting to be written, at most a fixed number. They are kept and used
 * again: a new object for each call would be most of what the collector copies.
 */
export interface RecordBuffer {
  /** The record to fill in for a further call: in a full buffer, the oldest. */
  next(): RecordedCall
  /** Takes the oldest records, at most `rowsMax`. */
  take(rowsMax: number): RecordedCall[]
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
    next() {
      const at = (first + size) % capacity
      if (size < capacity) size += 1
      else {
        first = (first + 1) % capacity
        replaced += 1
      }
      const kept = records[at]
      if (kept !== undefined) return kept
      const made = new RecordedCall()
      records[at] = made
      return made
    },

    take(rowsMax) {
      const taken: RecordedCall[] = []
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
