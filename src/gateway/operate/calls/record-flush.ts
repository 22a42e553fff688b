import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RecordingMetrics } from '../metrics.ts'
import { pruneOverflow } from './prune-records.ts'
import type { RecordBuffer } from './record-buffer.ts'
import { writeRecords } from './record-writer.ts'

export interface RecordFlushOptions {
  readonly db: Kysely<RegistrySchema>
  readonly records: RecordBuffer
  readonly metrics: Pick<RecordingMetrics, 'recordsLost'>
  readonly log: Pick<Logger, 'warn'>
}

/** Records in one statement: encoding them takes a millisecond of the loop that answers calls. */
const rowsPerStatement = 500
/** So many are written for an application before those above 1,000 are deleted. */
const overflowMax = 500
/** Remembered of how many applications; beyond that all are looked at again. */
const applicationsMax = 10_000

/**
 * Makes the function that writes the records that wait and deletes what they
 * push out. A batch whose write fails is lost and counted.
 *
 * @returns a function that resolves to how many there were
 */
export function createRecordFlush(options: RecordFlushOptions): () => Promise<number> {
  const { db, records, metrics, log } = options
  const writtenSincePrune = new Map<string, number>()

  async function prune(written: ReadonlyMap<string, { readonly length: number }>): Promise<void> {
    const due: string[] = []
    if (writtenSincePrune.size > applicationsMax) writtenSincePrune.clear()
    for (const [id, { length }] of written) {
      // What processes before this one left over is dealt with at the first sight of an application.
      const since = (writtenSincePrune.get(id) ?? overflowMax) + length
      const isDue = since >= overflowMax
      writtenSincePrune.set(id, isDue ? 0 : since)
      if (isDue) due.push(id)
    }
    if (due.length === 0) return
    try {
      await pruneOverflow(db, due)
    } catch (error) {
      log.warn({ err: error, applications: due.length }, 'old call records not deleted')
    }
  }

  return async () => {
    const { byApplication, lost } = records.take()
    metrics.recordsLost(lost)
    const waiting = [...byApplication.values()].flat()
    for (let start = 0; start < waiting.length; start += rowsPerStatement) {
      try {
        await writeRecords(db, waiting.slice(start, start + rowsPerStatement))
      } catch (error) {
        const unwritten = waiting.length - start
        metrics.recordsLost(unwritten)
        log.warn({ err: error, records: unwritten }, 'call records not written')
        return waiting.length
      }
    }
    await prune(byApplication)
    return waiting.length
  }
}
