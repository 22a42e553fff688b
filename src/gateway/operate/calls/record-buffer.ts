import type { RecordedCall } from './recorded-call.ts'

/** Records waiting for the next flush, at most a fixed number. */
export interface RecordBuffer {
  /** Adds a record. In a full buffer it replaces the oldest. */
  push(record: RecordedCall): void
  /** Returns all records, in no order, and empties the buffer. */
  take(): TakenRecords
  readonly size: number
}

/** The records taken, and the number replaced since the last time. */
export interface TakenRecords {
  readonly records: readonly RecordedCall[]
  readonly lost: number
}

export function createRecordBuffer(capacity = 2_000): RecordBuffer {
  let records: RecordedCall[] = []
  let lost = 0

  return {
    push(record) {
      if (records.length < capacity) records.push(record)
      else {
        records[lost % capacity] = record
        lost += 1
      }
    },

    take() {
      const taken = { records, lost }
      records = []
      lost = 0
      return taken
    },

    get size() {
      return records.length
    },
  }
}
