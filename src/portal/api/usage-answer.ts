import { durationAt, noDurations } from '../../registry/usage/duration-buckets.ts'
import type { AnsweredCalls, UsageSums } from '../../registry/usage/usage-history.ts'
import type { UsageCounts } from './schemas/usage.ts'

const nothing: UsageSums = {
  admitted: 0,
  refused: 0,
  refusedByLimit: 0,
  errors: 0,
  clientErrors: 0,
  averageMs: null,
  maxMs: null,
  durations: noDurations(),
  answered: { '2xx': 0, '3xx': 0, '4xx': 0, '429': 0, '5xx': 0, none: 0 },
}

/** Counts of a period as the JSON API shows them. */
export function usageAnswer({ durations, ...sums }: UsageSums): UsageCounts {
  return {
    ...sums,
    p50Ms: durationAt(durations, 0.5, sums.maxMs),
    p95Ms: durationAt(durations, 0.95, sums.maxMs),
    p99Ms: durationAt(durations, 0.99, sums.maxMs),
  }
}

/** The answer for a period without calls. */
export const noCalls: UsageCounts = usageAnswer(nothing)

/** Adds up periods. */
export function sumOf(periods: readonly UsageSums[]): UsageSums {
  return periods.reduce(
    (sum, each) => ({
      admitted: sum.admitted + each.admitted,
      refused: sum.refused + each.refused,
      refusedByLimit: sum.refusedByLimit + each.refusedByLimit,
      errors: sum.errors + each.errors,
      clientErrors: sum.clientErrors + each.clientErrors,
      averageMs: averageOf(sum, each),
      maxMs: longer(sum.maxMs, each.maxMs),
      durations: sum.durations.map((count, at) => count + (each.durations[at] ?? 0)),
      answered: addAnswered(sum.answered, each.answered),
    }),
    nothing,
  )
}

function averageOf(a: UsageSums, b: UsageSums): number | null {
  const calls = a.admitted + b.admitted
  if (calls === 0) return null
  return ((a.averageMs ?? 0) * a.admitted + (b.averageMs ?? 0) * b.admitted) / calls
}

function longer(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function addAnswered(a: AnsweredCalls, b: AnsweredCalls): AnsweredCalls {
  return {
    '2xx': a['2xx'] + b['2xx'],
    '3xx': a['3xx'] + b['3xx'],
    '4xx': a['4xx'] + b['4xx'],
    '429': a['429'] + b['429'],
    '5xx': a['5xx'] + b['5xx'],
    none: a.none + b.none,
  }
}
