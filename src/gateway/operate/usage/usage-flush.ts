import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RecordingMetrics } from '../metrics.ts'
import type { UsageBuffer, UsageCounts } from './usage-buffer.ts'
import { writeUsage } from './usage-writer.ts'

export interface UsageFlushOptions {
  readonly db: Kysely<RegistrySchema>
  readonly usage: UsageBuffer
  readonly metrics: Pick<RecordingMetrics, 'usageLost'>
  readonly log: Pick<Logger, 'warn'>
}

/** Counts in one transaction: while it lasts nobody can rename or delete their applications. */
const rowsPerTransaction = 500

/** Makes the function that writes the counts that wait; those whose write fails are lost and counted. */
export function createUsageFlush(options: UsageFlushOptions): () => Promise<void> {
  const { db, usage, metrics, log } = options
  return async () => {
    const waiting = usage.take()
    for (let start = 0; start < waiting.length; start += rowsPerTransaction) {
      try {
        await writeUsage(db, waiting.slice(start, start + rowsPerTransaction))
      } catch (error) {
        const calls = callsOf(waiting.slice(start))
        metrics.usageLost(calls)
        log.warn({ err: error, calls }, 'usage not written')
        return
      }
    }
  }
}

function callsOf(rows: readonly UsageCounts[]): number {
  return rows.reduce((sum, row) => sum + row.admitted + row.refused, 0)
}
