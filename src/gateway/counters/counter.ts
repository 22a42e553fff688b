// This folder counts the calls of applications and decides them against their limits. Read this contract first, then
// window.ts and memory/memory-counter.ts, the counter of one process. redis/redis-counter.ts is the same for processes
// that share a Redis: redis/grant.lua decides, redis/counting-server.ts asks it, redis/shared-mode.ts says when it
// may, and redis/local-shares.ts decides while Redis is away. Whatever a cluster needs beyond that is in
// redis/cluster/. docs/architecture.md has the promise and a worked example.

import type { OutagePolicy, WindowLength } from '../../catalogue/catalogue.ts'

/** One limit of one call: the bucket it counts in, and how many calls that bucket holds. */
export interface BucketLimit {
  /** Stable name of what is counted; see `bucket.ts`. Contains the window length, never the limit. */
  readonly bucket: string
  /** Calls the window admits now. May change between calls; the count stays. */
  readonly calls: number
  readonly windowLength: WindowLength
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

/** The result for one limit of a call. */
export interface Standing {
  /** Calls left in the window after this one, ≥ 0. */
  readonly remaining: number
  /** Milliseconds from the decision until the window ends, > 0. Undefined when unknown (outage). */
  readonly resetMs: number | undefined
  /** Number of that window. Undefined when unknown (outage). */
  readonly window: number | undefined
  /** Whether this limit had a call left. */
  readonly granted: boolean
}

/** The decision about one call. A refusal is a value, never an error. */
export interface Grant {
  readonly admitted: boolean
  readonly decision: Decision
  /** One entry for each bucket asked for, in that order. */
  readonly standings: readonly Standing[]
  /**
   * Milliseconds after which a refused call can succeed. In an outage this uses
   * the last known offset to the store's time. 0 when admitted.
   */
  readonly retryAfterMs: number
}

/** The count of one bucket, as an operator sees it. */
export interface BucketState {
  readonly bucket: string
  /** Calls admitted in the current window. */
  readonly count: number
  /** Number of the current window. */
  readonly window: number
  /** Milliseconds until the current window ends. */
  readonly resetMs: number
}

/**
 * Counts calls and decides them against their limits.
 *
 * For every bucket and window, the calls admitted by all processes that share
 * the store never exceed the limit. While the store answers, they reach the
 * limit when enough calls arrive. The store's clock decides which window it is.
 */
export interface Counter {
  /**
   * Asks for one call on all of `limits`: all grant, or no limit does. Calls
   * `done` exactly once, perhaps before `grant` returns; `done` must not throw.
   * When the store fails, `onOutage` decides and the caller sees no error. With
   * `deny` the decision is `degraded_refused`.
   */
  grant(limits: readonly BucketLimit[], onOutage: OutagePolicy, done: (grant: Grant) => void): void
  /**
   * Reads counts without changing them; in the order asked. Rejects with
   * {@link StoreUnavailableError} when the store does not answer.
   */
  peek(buckets: readonly BucketWindow[]): Promise<readonly BucketState[]>
  /**
   * Sets a bucket's count to 0 in the current window, for every process of the
   * store. Rejects with {@link StoreUnavailableError} when the store does not
   * answer.
   *
   * @returns the epoch that begins with it, for {@link forget} in the other processes; undefined if no other one counts
   */
  reset(bucket: BucketWindow): Promise<number | undefined>
  /**
   * Drops what this process remembers of a bucket after another process reset
   * it: what is from before this epoch, or everything without one. The next call
   * asks the store. What this process has seen since the reset must stay, or it
   * would be missing if the store lost its counts.
   */
  forget(bucket: string, epoch?: number): void
  /**
   * Whether counts reach the store: false while Redis is away and decisions are
   * degraded, or while a journal cannot be written.
   */
  isUp(): boolean
  close(): Promise<void>
}

/** A bucket and the length of its windows. */
export interface BucketWindow {
  readonly bucket: string
  readonly windowLength: WindowLength
}
