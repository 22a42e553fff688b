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

/** Makes the function that writes the counts that wait. Those whose write fails are lost and counted; the others wait for the next time. */
export function createUsageFlush(options: UsageFlushOptions): () => Promise<void> {
  const { db, usage, metrics, log } = options
  return async () => {
    // Meanwhile more come; they are not waited for.
    for (let left = usage.waiting; left > 0; left -= rowsPerTransaction) {
      const rows = usage.take(rowsPerTransaction)
      try {
        await writeUsage(db, rows)
      } catch (error) {
        const calls = callsOf(rows)
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
