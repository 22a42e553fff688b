// This folder notes which calls the bank answered. Read this file first: it writes the figures off the data path.
// `reply-of.ts` decides what counts as unanswered, `availability-tally.ts` keeps the figures in memory, and
// `availability-writer.ts` has the statements. The report is in `registry/availability/`.

import type { Kysely } from 'kysely'
import type { Logger } from '../../../platform/log/log.ts'
import { repeatedly } from '../../../platform/process/repeatedly.ts'
import type { RegistrySchema } from '../../../registry/schema.ts'
import { type AvailabilityTally, createAvailabilityTally } from './availability-tally.ts'
import { readWanted, UncertainWrite, writeMinutes, writeSlices } from './availability-writer.ts'
import type { Slice } from './recent-seconds.ts'

/** Stores what the availability report is computed from. */
export interface AvailabilityRecorder extends Pick<AvailabilityTally, 'ended'> {
  /** Writes what is pending and stops. */
  close(): Promise<void>
}

export interface AvailabilityRecorderOptions {
  readonly db: Kysely<RegistrySchema>
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly randomUUID: () => string
  /** A gateway that is killed loses the unanswered calls of this time. (Default: 1,000) */
  readonly slicesEveryMs?: number
  /** A gateway that is killed loses the figures of this time. (Default: 3,000) */
  readonly minutesEveryMs?: number
}

/**
 * Runs of {@link AvailabilityRecorderOptions.slicesEveryMs} between two
 * questions, while no gateway has unanswered calls.
 */
const quietRuns = 3

/** Slices in a statement: up to about 5 MB. */
const slicesPerWrite = 100

/**
 * Writes off the data path. While every call succeeds, it writes only the figures
 * of the minute, and asks every three seconds whether another gateway has
 * unanswered calls. As soon as one has, it writes and asks every second.
 */
export function recordAvailability(options: AvailabilityRecorderOptions): AvailabilityRecorder {
  const { db, log, now } = options
  const tally = createAvailabilityTally()
  const gateway = options.randomUUID()
  const nothing: ReadonlySet<number> = new Set()
  let wanted: ReadonlyMap<string, ReadonlySet<number>> = new Map()
  let runs = 0
  /** Whether the last question was followed by slices: the others may have more for the same outage. */
  let hasWritten = false

  /** @param isLast this gateway cannot be asked later */
  async function writeAsked(isLast: boolean): Promise<void> {
    const nowSecond = Math.floor(now() / 1_000)
    const versions = [...tally.versions.values()]
    for (const seconds of versions) seconds.forget(nowSecond)
    const isQuiet =
      wanted.size === 0 && !hasWritten && !versions.some((seconds) => seconds.hasUnanswered())
    runs += 1
    if (isQuiet && !isLast && runs % quietRuns !== 0) return
    wanted = await readWanted(db)
    hasWritten = false
    for (const [name, seconds] of tally.versions) {
      const slices = seconds.take(wanted.get(name) ?? nothing, { nowSecond, isLast })
      for (let at = 0; at < slices.length; at += slicesPerWrite) {
        await write(slices.slice(at, at + slicesPerWrite), () => seconds.giveBack(slices.slice(at)))
        hasWritten = true
      }
    }
  }

  async function write(slices: readonly Slice[], giveBack: () => void): Promise<void> {
    try {
      await writeSlices(db, gateway, slices)
    } catch (error) {
      giveBack()
      throw error
    }
  }

  async function writeFigures(): Promise<void> {
    const rows = tally.takeMinutes()
    if (rows.length === 0) return
    try {
      await writeMinutes(db, rows)
    } catch (error) {
      if (error instanceof UncertainWrite) {
        const requests = rows.reduce((sum, row) => sum + row.requests, 0)
        log.warn({ err: error, requests }, 'availability figures may be lost')
        return
      }
      tally.giveBackMinutes(rows)
      throw error
    }
  }

  const onFailure = (err: unknown): void => log.warn({ err }, 'availability not written: retrying')
  const repetitions = [
    repeatedly({
      everyMs: options.slicesEveryMs ?? 1_000,
      work: () => writeAsked(false),
      onFailure,
    }),
    repeatedly({ everyMs: options.minutesEveryMs ?? 3_000, work: writeFigures, onFailure }),
  ]

  return {
    ended: tally.ended,
    async close() {
      await Promise.all(repetitions.map((repetition) => repetition.close()))
      try {
        await Promise.all([writeAsked(true), writeFigures()])
      } catch (err) {
        log.warn({ err }, 'availability of the last seconds not written')
      }
    },
  }
}
