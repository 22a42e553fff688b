import type { OutagePolicy } from '../../catalogue/catalogue.ts'

/** One limit of one call: which bucket it counts in and how much that bucket holds. */
export interface BucketLimit {
  /** Stable name of what is counted; see `bucket.ts`. Contains the window length, never the limit. */
  readonly bucket: string
  /** Calls the window admits now. May change between calls; the count stays. */
  readonly calls: number
  readonly windowSeconds: number
}

/** How a grant came about; the values of the metric label `decision`. */
export type Decision =
  | 'admitted'
  /** Refused by the store. */
  | 'refused'
  /** Refused from memory, without asking the store. */
  | 'refused_local'
  /** Decided without the store, by the outage policy. */
  | 'degraded_admitted'
  | 'degraded_refused'

/** What became of one limit of a call. */
export interface Standing {
  /** Calls left in the window after this one, ≥ 0. */
  readonly remaining: number
  /** Milliseconds until the window ends, counted from when the answer was given, > 0. Undefined when unknown (outage). */
  readonly resetMs: number | undefined
  /** Whether this limit had a call left. */
  readonly granted: boolean
}

/** The one decision about a call. A refusal is a value, never an error. */
export interface Grant {
  readonly admitted: boolean
  readonly decision: Decision
  /** One for each bucket asked for, in that order. */
  readonly standings: readonly Standing[]
  /**
   * Milliseconds after which a refused call can succeed, also in an outage
   * (then by the last known offset to store time). 0 when admitted.
   */
  readonly retryAfterMs: number
}

/** The count of one bucket as an operator sees it. */
export interface BucketState {
  readonly bucket: string
  /** Calls admitted in the current window. */
  readonly count: number
  /** Milliseconds until the current window ends. */
  readonly resetMs: number
}

/**
 * Counts calls. For every bucket and window the admitted calls are never more
 * than the limit, summed over all processes that share the store, and equal to
 * it when at least so many were offered, as long as the store answers.
 * Windows are fixed: window n of length w begins at n·w of the store's clock.
 */
export interface Counter {
  /**
   * Asks for one call on all of `limits`: all grant or none does. `done` is
   * called exactly once, never throws into the counter, and may be called
   * before `grant` returns. Store failures are decided by `onOutage`; they
   * never surface as errors. With `deny` the decision is `degraded_refused`.
   */
  grant(limits: readonly BucketLimit[], onOutage: OutagePolicy, done: (grant: Grant) => void): void
  /** Reads counts without changing them; in the order asked. Rejects with {@link StoreUnavailableError} when the store does not answer. */
  peek(buckets: readonly PeekedBucket[]): Promise<readonly BucketState[]>
  /** Sets a bucket's count to 0 in the current window and raises its epoch, so that floors and replies from before are ignored. Rejects when the store does not answer. */
  reset(bucket: PeekedBucket): Promise<void>
  /** Forgets what this process remembers of a bucket (another process reset it); the next call asks the store. */
  forget(bucket: string): void
  /** Whether counts reach the store: false while Redis is away and decisions are degraded, or while a journal cannot be written. */
  isUp(): boolean
  close(): Promise<void>
}

/** A bucket and its window length in seconds. */
export interface PeekedBucket {
  readonly bucket: string
  readonly windowSeconds: number
}

/**
 * When a window ends that has `resetMs` to go, in milliseconds since 1970.
 * Windows end on whole seconds of the store's clock; the clock of this process
 * and the way of the answer differ from it by less than half of one.
 */
export function windowEnd(nowMs: number, resetMs: number): number {
  return Math.round((nowMs + resetMs) / 1000) * 1000
}
