// This folder keeps records of single calls, which developers see on the portal. `record-of.ts` makes a record of a
// finished call, `record-buffer.ts` holds it until this file writes it, and deletes surplus records
// (`registry/usage/prune-records.ts`).

import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log/log.ts'
import type { RegistrySchema } from '../../../registry/schema.ts'
import { pruneOverflow } from '../../../registry/usage/prune-records.ts'
import type { RecordingMetrics } from '../metrics.ts'
import type { RecordBuffer } from './record-buffer.ts'
import { writeRecords } from './record-writer.ts'
import type { RecordedCall } from './recorded-call.ts'

export interface RecordFlushOptions {
  readonly db: Kysely<RegistrySchema>
  readonly records: RecordBuffer
  readonly metrics: Pick<RecordingMetrics, 'recordsLost'>
  readonly log: Pick<Logger, 'warn'>
}

/** Records per statement: encoding this number blocks the event loop for half a millisecond. */
const rowsPerStatement = 200
/** Number of records written for an application before the ones above 1,000 are deleted. */
const overflowMax = 500
/** Number of applications whose writes are counted; beyond it, all are checked again. */
const applicationsMax = 10_000

/** Writes records, off the data path, and deletes those above the maximum. */
export interface RecordFlush {
  /**
   * Writes the waiting records. Those whose write fails are lost, and the loss
   * is counted; the others wait for the next run.
   *
   * @returns how many records it took
   */
  write(): Promise<number>
  /** The final run: records that cannot be written are lost, and the loss is counted. */
  end(): Promise<void>
}

export function createRecordFlush(options: RecordFlushOptions): RecordFlush {
  const { db, records, metrics, log } = options
  const writtenSincePrune = new Map<string, number>()
  const overflowing = new Set<string>()

  function lose(lost: number, cause?: unknown): void {
    metrics.recordsLost(lost, 'unwritten')
    log.warn({ err: cause, records: lost }, 'call records not written')
  }

  function noteWritten(rows: readonly RecordedCall[]): void {
    if (writtenSincePrune.size > applicationsMax) writtenSincePrune.clear()
    for (const { application_id: id } of rows) {
      // The first write for an application also deletes what earlier processes left over.
      const written = (writtenSincePrune.get(id) ?? overflowMax) + 1
      writtenSincePrune.set(id, written)
      if (written >= overflowMax) overflowing.add(id)
    }
  }

  async function prune(): Promise<void> {
    if (overflowing.size === 0) return
    const due = [...overflowing]
    overflowing.clear()
    for (const id of due) writtenSincePrune.set(id, 0)
    try {
      await pruneOverflow(db, due)
    } catch (error) {
      log.warn({ err: error, applications: due.length }, 'old call records not deleted')
    }
  }

  async function write(): Promise<number> {
    metrics.recordsLost(records.takeReplaced(), 'replaced')
    let taken = 0
    // Leaves records that arrive meanwhile to the next run.
    for (let left = records.size; left > 0; left -= rowsPerStatement) {
      const rows = records.take(Math.min(left, rowsPerStatement))
      taken += rows.length
      try {
        await writeRecords(db, rows)
      } catch (error) {
        lose(rows.length, error)
        return taken
      }
      noteWritten(rows)
    }
    await prune()
    return taken
  }

  return {
    write,
    async end() {
      await write()
      const lost = records.take(records.size).length
      if (lost > 0) lose(lost)
    },
  }
}
