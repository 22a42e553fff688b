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

/** Records per statement: encoding this number blocks the event loop for about a millisecond. */
const rowsPerStatement = 500
/** Number of records written for an application before the ones above 1,000 are deleted. */
const overflowMax = 500
/** Number of applications whose writes are counted; beyond it, all are checked again. */
const applicationsMax = 10_000

/**
 * Creates the function that writes the pending records and deletes those above
 * the maximum. A batch whose write fails is lost, and the loss is counted.
 *
 * @returns a function that resolves to the number of records in its batch
 */
export function createRecordFlush(options: RecordFlushOptions): () => Promise<number> {
  const { db, records, metrics, log } = options
  const writtenSincePrune = new Map<string, number>()

  async function prune(written: readonly RecordedCall[]): Promise<void> {
    if (writtenSincePrune.size > applicationsMax) writtenSincePrune.clear()
    for (const { application_id: id } of written) {
      // The first write for an application also deletes what earlier processes left over.
      writtenSincePrune.set(id, (writtenSincePrune.get(id) ?? overflowMax) + 1)
    }
    const due = [...new Set(written.map((record) => record.application_id))].filter(
      (id) => (writtenSincePrune.get(id) ?? 0) >= overflowMax,
    )
    if (due.length === 0) return
    for (const id of due) writtenSincePrune.set(id, 0)
    try {
      await pruneOverflow(db, due)
    } catch (error) {
      log.warn({ err: error, applications: due.length }, 'old call records not deleted')
    }
  }

  return async () => {
    const { records: waiting, lost } = records.take()
    metrics.recordsLost(lost, 'replaced')
    for (let start = 0; start < waiting.length; start += rowsPerStatement) {
      try {
        await writeRecords(db, waiting.slice(start, start + rowsPerStatement))
      } catch (error) {
        const unwritten = waiting.length - start
        metrics.recordsLost(unwritten, 'unwritten')
        log.warn({ err: error, records: unwritten }, 'call records not written')
        return waiting.length
      }
    }
    await prune(waiting)
    return waiting.length
  }
}
