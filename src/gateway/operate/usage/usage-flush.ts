import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { RecordingMetrics } from '../metrics.ts'
import type { UsageBuffer } from './usage-buffer.ts'
import { writeUsage } from './usage-writer.ts'

export interface UsageFlushOptions {
  readonly db: Kysely<RegistrySchema>
  readonly usage: UsageBuffer
  readonly metrics: Pick<RecordingMetrics, 'usageLost'>
  readonly log: Pick<Logger, 'warn'>
}

/** Makes the function that writes the counts that wait; those whose write fails are lost and counted. */
export function createUsageFlush(options: UsageFlushOptions): () => Promise<void> {
  const { db, usage, metrics, log } = options
  return async () => {
    if (usage.size === 0) return
    const rows = usage.take()
    try {
      await writeUsage(db, rows)
    } catch (error) {
      const calls = rows.reduce((sum, row) => sum + row.admitted + row.refused, 0)
      metrics.usageLost(calls)
      log.warn({ err: error, calls }, 'usage not written')
    }
  }
}
