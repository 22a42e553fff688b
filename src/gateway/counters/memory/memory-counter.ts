// This folder counts in the memory of one process. This file decides calls. `journal.ts` keeps the counts in a file,
// from which the next process continues.

import type { Logger } from '../../../platform/log/log.ts'
import type {
  BucketLimit,
  BucketState,
  BucketWindow,
  Counter,
  Grant,
  Standing,
} from '../counter.ts'
import { admission, distinctLimits, refusal, standingOf } from '../standing.ts'
import { windowAt, windowEnd } from '../window.ts'
import { type CountedBucket, type Journal, openJournal } from './journal.ts'

export interface MemoryCounterOptions {
  /** Where counts survive a restart. Without it they end with the process. */
  readonly journalPath?: string
  /** Milliseconds since 1970. (Default: the clock of the machine.) */
  readonly now?: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Called with the seconds each write to the journal took, for `gateway_limit_store_duration_seconds`. */
  readonly onStoreDuration?: (seconds: number) => void
}

interface KnownBucket extends CountedBucket {
  /** When its window ends, in milliseconds since 1970. */
  endsAt: number
}

/** Minimum journal size for a rewrite; smaller ones are not worth delaying calls. */
const rewriteBytesMin = 1024 * 1024

/** Minimum number of buckets for a search for expired ones. */
const sweepSizeMin = 1024

/**
 * Creates the counter of a gateway with a single process. Counts live in
 * memory, and in a journal from which the next process continues.
 *
 * With a journal, the counter calls `done` of an admitted call at the end of
 * the event-loop turn, after one write that holds all grants of the turn. So an
 * admitted call is on record before it reaches the backend. A refused call
 * changes nothing, so its answer is immediate. When the journal cannot be
 * written (a full disk), calls still count in memory and go to the journal when
 * writing succeeds again. Until then a crash loses these counts.
 *
 * The journal must be in a folder that this process has locked: see {@link
 * openJournal}.
 */
export async function createMemoryCounter({
  journalPath,
  now = Date.now,
  log,
  onStoreDuration,
}: MemoryCounterOptions): Promise<Counter> {
  const buckets = new Map<string, KnownBucket>()
  const journal = journalPath === undefined ? undefined : openJournal({ path: journalPath })
  /** Changed since their last line in the journal. */
  const unwritten = new Set<CountedBucket>()
  let waiting: (() => void)[] = []
  let isTurnOpen = false
  let isJournalWritten = true
  let sweepSize = sweepSizeMin
  let rewriteBytes = rewriteBytesMin

  if (journal !== undefined) takeOver(journal)

  function takeOver({ found, linesSkipped }: Journal): void {
    for (const state of found) {
      const endsAt = windowEnd(state.window, state.windowLength)
      buckets.set(state.bucket, { ...state, endsAt })
    }
    sweep()
    if (buckets.size > 0 || linesSkipped > 0) {
      log.info(
        { journalPath, buckets: buckets.size, linesSkipped },
        'counts restored from the journal',
      )
    }
    rewrite()
  }

  /** The bucket's current state. Its window never goes back, even if the clock does. */
  function current({ bucket, windowLength }: BucketWindow, timeMs: number): KnownBucket {
    let state = buckets.get(bucket)
    if (state === undefined) {
      if (buckets.size >= sweepSize) sweep()
      state = { bucket, windowLength, window: 0, endsAt: 0, epoch: 0, count: 0 }
      buckets.set(bucket, state)
    }
    if (state.endsAt <= timeMs) begin(state, timeMs)
    return state
  }

  function begin(state: KnownBucket, timeMs: number): void {
    const { id, endsAt } = windowAt(timeMs, state.windowLength)
    state.window = id
    state.endsAt = endsAt
    state.count = 0
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
      const resetMs = Math.ceil(state.endsAt - timeMs)
      return standingOf(limit.calls, state.count, isAdmitted, resetMs, state.window)
    })
    return isAdmitted ? admission('admitted', standings) : refusal('refused', standings)
  }

  /** Calls `done` after the changes are on record. */
  function afterWrite(done: () => void): void {
    if (journal === undefined) {
      done()
      return
    }
    waiting.push(done)
    if (isTurnOpen) return
    isTurnOpen = true
    // Runs after the poll phase, in which all calls of this turn arrive, and before the loop may sleep.
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
      // The states stay in `unwritten` and go out with the next write.
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
    // Large enough that appends write at least four times the bytes of each rewrite.
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

  /**
   * Drops buckets whose window ended more than one window ago, so a clock that
   * steps back an hour still finds its counts.
   */
  function sweep(): void {
    const timeMs = now()
    for (const state of buckets.values()) {
      if (windowEnd(state.window + 1, state.windowLength) <= timeMs) {
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
      return asked.map(({ bucket, windowLength }): BucketState => {
        const state = buckets.get(bucket)
        const isCurrent = state !== undefined && state.endsAt > timeMs
        const { id, endsAt } = isCurrent
          ? { id: state.window, endsAt: state.endsAt }
          : windowAt(timeMs, windowLength)
        const count = isCurrent ? state.count : 0
        return { bucket, count, window: id, resetMs: Math.ceil(endsAt - timeMs) }
      })
    },
    async reset({ bucket, windowLength }) {
      const timeMs = now()
      const state = current({ bucket, windowLength }, timeMs)
      // A reset also frees a bucket whose window is far ahead because the clock was wrong.
      begin(state, timeMs)
      state.epoch += 1
      if (journal !== undefined) unwritten.add(state)
      await new Promise<void>((resolve) => afterWrite(resolve))
      return undefined
    },
    forget() {
      // This memory is the store itself, so there is no cached state of another process to drop.
    },
    isUp: () => isJournalWritten,
    async close() {
      if (isTurnOpen) await new Promise<void>((resolve) => afterWrite(resolve))
      write()
      journal?.close()
    },
  }
}
