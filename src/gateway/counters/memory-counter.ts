import type { Logger } from '../../platform/log.ts'
import type { BucketLimit, BucketState, Counter, Grant, PeekedBucket, Standing } from './counter.ts'
import { type CountedBucket, type Journal, openJournal } from './journal.ts'
import { admission, distinctLimits, refusal, standingOf } from './standing.ts'
import { windowAt, windowEnd } from './window.ts'

export interface MemoryCounterOptions {
  /** Where counts are kept over a restart; without it they end with the process. */
  readonly journalPath?: string
  /** Milliseconds since 1970. (Default: the clock of the machine.) */
  readonly now?: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Seconds each write to the journal took, for `gateway_limit_store_duration_seconds`. */
  readonly onStoreDuration?: (seconds: number) => void
}

/** A journal smaller than this is not worth rewriting while calls wait. */
const rewriteBytesMin = 1024 * 1024

/** Fewer buckets than this are never searched for forgotten ones. */
const sweepSizeMin = 1024

/**
 * Creates the counter of a gateway that is a single process: counts live here,
 * and in a journal from which the next process goes on.
 *
 * With a journal, `done` of an admitted call is called at the end of the
 * event-loop turn, after one write that holds all grants of the turn: an
 * admitted call is always on record before it reaches the backend. A refused
 * call changes nothing and is answered at once. When the journal cannot be
 * written (a full disk) calls go on being counted here and are journalled when
 * that succeeds again; until then a crash forgets them.
 *
 * The journal must be in a folder that this process has locked: see
 * {@link openJournal}.
 */
export async function createMemoryCounter({
  journalPath,
  now = Date.now,
  log,
  onStoreDuration,
}: MemoryCounterOptions): Promise<Counter> {
  const buckets = new Map<string, CountedBucket>()
  const journal = journalPath === undefined ? undefined : openJournal({ path: journalPath })
  /** Changed since they were last journalled. */
  const unwritten = new Set<CountedBucket>()
  let waiting: (() => void)[] = []
  let isTurnOpen = false
  let isJournalWritten = true
  let sweepSize = sweepSizeMin
  let rewriteBytes = rewriteBytesMin

  if (journal !== undefined) takeOver(journal)

  function takeOver({ found, linesSkipped }: Journal): void {
    for (const state of found) buckets.set(state.bucket, { ...state })
    sweep()
    log.info({ journalPath, buckets: buckets.size, linesSkipped }, 'counts taken over from journal')
    rewrite()
  }

  /** The bucket as it is now: its window never goes back, whatever the clock does. */
  function current({ bucket, windowSeconds }: PeekedBucket, timeMs: number): CountedBucket {
    const window = windowAt(timeMs, windowSeconds)
    let state = buckets.get(bucket)
    if (state === undefined) {
      if (buckets.size >= sweepSize) sweep()
      state = { bucket, windowSeconds, window, epoch: 0, count: 0 }
      buckets.set(bucket, state)
    } else if (state.window < window) {
      state.window = window
      state.count = 0
    }
    return state
  }

  function resetMsOf({ window, windowSeconds }: CountedBucket, timeMs: number): number {
    return Math.ceil(windowEnd(window, windowSeconds) - timeMs)
  }

  function decide(limits: readonly BucketLimit[]): Grant {
    const timeMs = now()
    const distinct = distinctLimits(limits)
    let isAdmitted = true
    for (const limit of distinct) {
      if (current(limit, timeMs).count >= limit.calls) isAdmitted = false
    }
    if (isAdmitted) {
      for (const limit of distinct) {
        const state = current(limit, timeMs)
        state.count += 1
        if (journal !== undefined) unwritten.add(state)
      }
    }
    const standings: Standing[] = limits.map((limit) => {
      const state = current(limit, timeMs)
      return standingOf(limit.calls, state.count, isAdmitted, resetMsOf(state, timeMs))
    })
    return isAdmitted ? admission('admitted', standings) : refusal('refused', standings)
  }

  /** Calls `done` once what changed is on record. */
  function afterWrite(done: () => void): void {
    if (journal === undefined) {
      done()
      return
    }
    waiting.push(done)
    if (isTurnOpen) return
    isTurnOpen = true
    // After the poll phase of this turn, in which all its calls arrive, and before the loop may sleep.
    setImmediate(endTurn)
  }

  function endTurn(): void {
    isTurnOpen = false
    const ready = waiting
    waiting = []
    write()
    for (const done of ready) done()
  }

  function write(): void {
    if (journal === undefined || unwritten.size === 0) return
    const begun = performance.now()
    try {
      journal.append(unwritten)
      unwritten.clear()
      journalState(true)
    } catch (error) {
      // The states stay in `unwritten` and go with the next write.
      journalState(false, error)
    }
    onStoreDuration?.((performance.now() - begun) / 1000)
    if (journal.appendedBytes() >= rewriteBytes) {
      sweep()
      rewrite()
    }
  }

  function rewrite(): void {
    if (journal === undefined) return
    try {
      journal.rewrite(buckets.values())
      unwritten.clear()
      journalState(true)
    } catch (error) {
      journalState(false, error)
    }
    // So many bytes that each rewrite is paid for by at least four times its own appends.
    rewriteBytes = Math.max(rewriteBytesMin, journal.appendedBytes() * 2, buckets.size * 400)
  }

  function journalState(isWritten: boolean, error?: unknown): void {
    if (isWritten === isJournalWritten) return
    isJournalWritten = isWritten
    if (isWritten) log.info({ journalPath }, 'counts reach the journal again')
    else {
      log.error({ journalPath, err: error }, 'counts do not reach the journal; calls go on')
    }
  }

  /** Drops the buckets whose window ended more than one window ago; a clock that steps back an hour finds its counts. */
  function sweep(): void {
    const timeMs = now()
    for (const state of buckets.values()) {
      if (state.window + 2 <= windowAt(timeMs, state.windowSeconds)) {
        buckets.delete(state.bucket)
        unwritten.delete(state)
      }
    }
    sweepSize = Math.max(sweepSizeMin, buckets.size * 2)
  }

  return {
    grant(limits, _onOutage, done) {
      const grant = decide(limits)
      if (grant.admitted) afterWrite(() => done(grant))
      else done(grant)
    },
    async peek(asked) {
      const timeMs = now()
      return asked.map(({ bucket, windowSeconds }): BucketState => {
        const window = windowAt(timeMs, windowSeconds)
        const state = buckets.get(bucket)
        const isCurrent = state !== undefined && state.window >= window
        return {
          bucket,
          count: isCurrent ? state.count : 0,
          resetMs: Math.ceil(windowEnd(isCurrent ? state.window : window, windowSeconds) - timeMs),
        }
      })
    },
    async reset({ bucket, windowSeconds }) {
      const timeMs = now()
      const state = current({ bucket, windowSeconds }, timeMs)
      // A reset also frees a bucket from a window far ahead, left by a clock that was wrong.
      state.window = windowAt(timeMs, windowSeconds)
      state.epoch += 1
      state.count = 0
      if (journal !== undefined) unwritten.add(state)
      await new Promise<void>((resolve) => afterWrite(resolve))
    },
    forget() {
      // This memory is the store itself: there is nothing of another process's to forget.
    },
    isUp: () => isJournalWritten,
    async close() {
      if (isTurnOpen) await new Promise<void>((resolve) => afterWrite(resolve))
      write()
      journal?.close()
    },
  }
}
