import type { HonestyFigures, RetryFigures, WindowFigures } from './judge.ts'

/** What one experiment found. */
export interface Outcome {
  /** As the plan of the experiments names it: `R3`. */
  readonly id: string
  readonly title: string
  readonly calls: number
  readonly windows: WindowFigures
  readonly honesty: HonestyFigures
  readonly retries: RetryFigures
  readonly latency: LatencyFigures
  /**
   * Milliseconds from the moment the store accepted writes until the last gateway counted with the others; undefined: none
   * left.
   */
  readonly backMs: number | undefined
  /** Increments that had not reached the server that took over; undefined: none did. */
  readonly lost: number | undefined
  /** Notes specific to the experiment. */
  readonly notes: readonly string[]
  /** What must hold and did not. */
  readonly violations: readonly string[]
  /** What could not be judged, and why. */
  readonly unjudged: readonly string[]
}

/** Milliseconds of single calls, for one experiment or for all of them together. */
export interface LatencyFigures {
  /** Admitted calls without a fault. */
  readonly healthy: readonly number[]
  /** From the beginning of the fault until their gateway no longer asked the store. */
  readonly first: readonly number[]
  /** From then until the fault ended. */
  readonly open: readonly number[]
  /** Calls that need no store, at the same times: what the machine adds by itself. */
  readonly idleHealthy: readonly number[]
  readonly idleFirst: readonly number[]
  readonly idleOpen: readonly number[]
  /** The slowest answer of all, and the slowest of those that need no store. */
  readonly slowest: number
  readonly idleSlowest: number
}

/** The outcome of an experiment that is judged by other figures. */
export function emptyOutcome(id: string, title: string): Outcome {
  return {
    id,
    title,
    calls: 0,
    latency: noLatency,
    backMs: undefined,
    lost: undefined,
    windows: {
      healthy: 0,
      full: 0,
      slow: 0,
      faulted: 0,
      mostHealthy: 0,
      mostFaulted: 0,
      short: 0,
      duplicates: 0,
      ambiguous: 0,
      undecided: 0,
    },
    honesty: {
      uncounted: 0,
      invented: 0,
      sentTwice: 0,
      sentTwicePost: 0,
      posts: 0,
      serverErrors: 0,
      unanswered: 0,
      swaps: 0,
      strangers: 0,
    },
    retries: { checked: 0, early: 0, late: 0, again: 0, againRefused: 0 },
    notes: [],
    violations: [],
    unjudged: [],
  }
}

export const noLatency: LatencyFigures = {
  healthy: [],
  first: [],
  open: [],
  idleHealthy: [],
  idleFirst: [],
  idleOpen: [],
  slowest: 0,
  idleSlowest: 0,
}

/** Figures that must be nothing, each with its name. */
export function violationsOfBooks(
  windows: WindowFigures,
  honesty: HonestyFigures,
  retries: RetryFigures,
  bounds: { readonly healthy: number; readonly faulted: number },
): string[] {
  const zeros: Readonly<Record<string, number>> = {
    'full healthy windows admitted too few': windows.short,
    'counter values given twice': windows.duplicates,
    'calls reached the backend uncounted': honesty.uncounted,
    'answers 200 the backend does not know': honesty.invented,
    'requests sent twice': honesty.sentTwice,
    'answers 5xx': honesty.serverErrors,
    'calls without an answer': honesty.unanswered,
    'swapped 401': honesty.swaps,
    'Retry-After too early': retries.early,
    'Retry-After too late': retries.late,
    'refused after Retry-After': retries.againRefused,
  }
  const violations = Object.entries(zeros).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name}`],
  )
  if (windows.healthy === 0) violations.push('no healthy window was seen, so exactness was not')
  if (windows.mostHealthy > bounds.healthy) {
    violations.push(`${windows.mostHealthy} admitted in a healthy window of ${bounds.healthy}`)
  }
  if (windows.mostFaulted > bounds.faulted) {
    violations.push(
      `${windows.mostFaulted} admitted in a faulted window, more than ${bounds.faulted}`,
    )
  }
  return violations
}
