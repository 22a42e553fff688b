// This folder counts calls by application, operation and minute. `count-call.ts` and `count-rehearsed.ts` count into
// `usage-buffer.ts`, this file and `usage-writer.ts` write the counts to the database. These counts are for people:
// limits use those of `counters/`.

import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log/log.ts'
import type { RegistrySchema } from '../../../registry/schema.ts'
import type { RecordingMetrics } from '../metrics.ts'
import type { UsageBuffer, UsageRow } from './usage-buffer.ts'
import { writeUsage } from './usage-writer.ts'

export interface UsageFlushOptions {
  readonly db: Kysely<RegistrySchema>
  readonly usage: UsageBuffer
  readonly metrics: Pick<RecordingMetrics, 'usageLost'>
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Counts per statement: they cost PostgreSQL a few milliseconds, in which their applications cannot be renamed or
 * deleted, and the event loop less than one.
 */
const rowsPerStatement = 100
/** Rest after a statement, so that a burst holds up neither calls nor other users of the database. */
const restMs = 5

/** Writes usage counts, off the data path. */
export interface UsageFlush {
  /**
   * Writes the waiting counts. Counts whose write fails are lost, and the loss
   * is counted; the rest waits for the next run.
   *
   * @returns how many rows it took
   */
  write(): Promise<number>
  /** The final run: counts that cannot be written are lost, and the loss is counted. */
  end(): Promise<void>
}

export function createUsageFlush({ db, usage, metrics, log }: UsageFlushOptions): UsageFlush {
  function lose(calls: number, cause?: unknown): void {
    metrics.usageLost(calls)
    log.warn({ err: cause, calls }, 'usage not written')
  }

  async function write(): Promise<number> {
    let taken = 0
    // Leaves counts that arrive meanwhile to the next run.
    for (let left = usage.waiting; left > 0; left -= rowsPerStatement) {
      const rows = usage.take(rowsPerStatement)
      taken += rows.length
      try {
        await writeUsage(db, rows)
      } catch (error) {
        lose(callsOf(rows), error)
        return taken
      }
      if (left > rowsPerStatement) await delay(restMs)
    }
    return taken
  }

  return {
    write,
    async end() {
      await write()
      let calls = 0
      while (usage.waiting > 0) calls += callsOf(usage.take(rowsPerStatement))
      if (calls > 0) lose(calls)
    },
  }
}

function callsOf(rows: readonly UsageRow[]): number {
  return rows.reduce((sum, { admitted, refused = 0 }) => sum + admitted + refused, 0)
}
