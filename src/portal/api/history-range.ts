import type { UsageStep } from '../../registry/usage/usage-history.ts'
import { inputInvalid } from './portal-error.ts'
import type { HistoryQuery } from './schemas/usage.ts'

/** Steps that begin in `[from, to)`; both are beginnings of steps. */
export interface HistoryRange {
  readonly step: UsageStep
  readonly from: Date
  readonly to: Date
}

const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
/** As far as counts are kept, and one more for a time that begins in the middle of a step. */
const stepsMax = { minute: 2_881, hour: 1_441, day: 401 } as const
/** Rounded up to a day it is still one that ISO 8601 writes with four digits of a year. */
const lastMs = Date.UTC(9999, 11, 31)
const stepsDefault = { minute: 60, hour: 24, day: 30 } as const

/**
 * Parses a query of the history: every step (UTC) that overlaps the time from
 * `from` to `to`. Defaults: `to` is now, `from` is 60 minutes, 24 hours or 30
 * days before, `step` is an hour.
 *
 * @param nowMs milliseconds since 1970
 * @throws {PortalError} INPUT_INVALID
 */
export function historyRange(query: HistoryQuery, nowMs: number): HistoryRange {
  const step = query.step ?? 'hour'
  const length = stepMs[step]
  const to = Math.ceil(instantOf(query.to, '/to', nowMs) / length) * length
  const from =
    Math.floor(instantOf(query.from, '/from', to - stepsDefault[step] * length) / length) * length
  if (from >= to) throw inputInvalid('/from', 'before to')
  const max = stepsMax[step]
  if ((to - from) / length > max) {
    throw inputInvalid('/from', `at most ${max - 1} steps before to, for the step ${step}`)
  }
  return { step, from: new Date(from), to: new Date(to) }
}

/** The beginnings of all steps of a range, oldest first. */
export function stepsOf({ step, from, to }: HistoryRange): Date[] {
  const length = stepMs[step]
  const count = (to.getTime() - from.getTime()) / length
  return Array.from({ length: count }, (_, at) => new Date(from.getTime() + at * length))
}

function instantOf(text: string | undefined, path: string, fallback: number): number {
  if (text === undefined) return fallback
  const ms = Date.parse(text)
  // The format allows leap seconds and years that the database cannot store.
  if (Number.isNaN(ms) || ms < 0) throw inputInvalid(path, 'a time since 1970')
  if (ms > lastMs) throw inputInvalid(path, 'a time before 31 December 9999')
  return ms
}
