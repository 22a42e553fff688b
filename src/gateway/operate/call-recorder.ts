import type { Kysely } from 'kysely'
import type { Logger } from '../../platform/log/log.ts'
import { atPace } from '../../platform/process/at-pace.ts'
import { repeatedly } from '../../platform/process/repeatedly.ts'
import type { Caller, KeyAuthenticator, KeyMemory, RevokedKeys } from '../../registry/registry.ts'
import type { RegistrySchema } from '../../registry/schema.ts'
import type { Call, EntitledCall } from '../edge/call.ts'
import { createRecordBuffer } from './calls/record-buffer.ts'
import { createRecordFlush } from './calls/record-flush.ts'
import { fillRecord } from './calls/record-of.ts'
import type { FinishedCall, RecordingMetrics } from './metrics.ts'
import { createRecogniseCaller } from './recognise-caller.ts'
import { countCall } from './usage/count-call.ts'
import { countRehearsed } from './usage/count-rehearsed.ts'
import { createUsageBuffer } from './usage/usage-buffer.ts'
import { createUsageFlush } from './usage/usage-flush.ts'

/** Stores the outcome of calls, which developers see in the portal. */
export interface CallRecorder {
  /** Counts the call and keeps its record if its application is known. Writes later, off the data path. */
  ended(call: Call, finished: FinishedCall): void
  /** Counts the call under the limits that its plan rehearses. */
  rehearsed(call: EntitledCall, isAdmitted: boolean): void
  /** Writes what is pending and stops. */
  close(): Promise<void>
}

export interface CallRecorderOptions {
  readonly db: Kysely<RegistrySchema>
  readonly keys: KeyMemory & KeyAuthenticator & RevokedKeys
  readonly metrics: RecordingMetrics
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Short, because a developer may be waiting for the record of a first call. (Default: 1,000) */
  readonly recordsEveryMs?: number
  /** (Default: 3,000) */
  readonly usageEveryMs?: number
  /**
   * Rows of each kind on average, as long as pauses are not too long. When more
   * calls arrive, newer records replace older ones, and usage is written less
   * often: by then a row counts several calls. Lower where the database shares
   * the CPU with the calls. (Default: 2,000)
   */
  readonly rowsPerSecond?: number
}

/** Longest pause between two writes. Alerts look at what was counted within three minutes. */
const pauseMsMax = 20_000

/**
 * Records calls off the data path: a call costs some arithmetic in bounded
 * memory. Rows whose write fails are lost, and the loss is counted. At most one
 * write of each kind runs at a time; later calls wait in the same memory.
 */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { db, metrics, log, now, monotonic, rowsPerSecond = 2_000 } = options
  const records = createRecordBuffer()
  const usage = createUsageBuffer()
  const recordFlush = createRecordFlush({ db, records, metrics, log })
  const usageFlush = createUsageFlush({ db, usage, metrics, log })
  const recognise = createRecogniseCaller(options.keys)
  const pace = { perSecond: rowsPerSecond, pauseMsMax, monotonic }

  function remember(call: Call, caller: Caller, finished: FinishedCall, endedAt: number): void {
    const ended = { call, caller, finished, endedAt }
    if (call.drill === undefined) countCall(usage, ended, metrics)
    records.add((record) => fillRecord(record, ended, monotonic()))
  }

  const onFailure = (err: unknown): void => log.warn({ err }, 'calls not recorded')
  const repetitions = [
    repeatedly({
      everyMs: options.recordsEveryMs ?? 1_000,
      work: atPace(recordFlush.write, pace),
      onFailure,
    }),
    repeatedly({
      everyMs: options.usageEveryMs ?? 3_000,
      work: atPace(usageFlush.write, { ...pace, isUrgent: () => usage.isHalfFull }),
      onFailure,
    }),
  ]

  return {
    ended(call, finished) {
      const endedAt = now()
      const caller = call.caller
      if (caller !== undefined) remember(call, caller, finished, endedAt)
      else recognise(call, endedAt, (found) => remember(call, found, finished, endedAt))
    },

    rehearsed(call, isAdmitted) {
      countRehearsed(usage, { call, isAdmitted, at: now() })
    },

    async close() {
      await Promise.all(repetitions.map((repetition) => repetition.close()))
      await Promise.all([recordFlush.end(), usageFlush.end()])
    },
  }
}
