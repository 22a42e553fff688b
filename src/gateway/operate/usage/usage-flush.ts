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

/** Writes counts, off the data path. */
export interface UsageFlush {
  /** Writes those that wait. Where a write fails, its counts are lost and counted, and the others wait for the next time. */
  write(): Promise<void>
  /** The same for the last time: all that cannot be written is lost and counted. */
  end(): Promise<void>
}

export function createUsageFlush({ db, usage, metrics, log }: UsageFlushOptions): UsageFlush {
  function lose(calls: number, cause?: unknown): void {
    metrics.usageLost(calls)
    log.warn({ err: cause, calls }, 'usage not written')
  }

  async function write(): Promise<void> {
    // Meanwhile more come; they are not waited for.
    for (let left = usage.waiting; left > 0; left -= rowsPerTransaction) {
      const rows = usage.take(rowsPerTransaction)
      try {
        await writeUsage(db, rows)
      } catch (error) {
        lose(callsOf(rows), error)
        return
      }
    }
  }

  return {
    write,
    async end() {
      await write()
      let calls = 0
      while (usage.waiting > 0) calls += callsOf(usage.take(rowsPerTransaction))
      if (calls > 0) lose(calls)
    },
  }
}

function callsOf(rows: readonly UsageCounts[]): number {
  return rows.reduce((sum, row) => sum + row.admitted + row.refused, 0)
}
