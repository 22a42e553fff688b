import type { BucketWindow } from '../counter.ts'
import { windowAt, windowEnd, windowOf } from '../window.ts'
import type { StoreTime } from './store-clock.ts'
import type { WindowKey } from './window-map.ts'

// In which window the calls of a share count. Usually it is the window of the store's time, as this process estimates it.
// Two things make an earlier answer wrong, and the share *outdated*:
//
// - Before the first reply of the store, the window is a guess by the local clock.
// - The clock of the store was set forward, and has ended the window early.
//
// The next look at the bucket then begins another share. What the outdated one has used comes along if its calls may have
// been made in the new window, so that a process has its share of a window once, and the store gets to know these calls.

/** The window of a share, and by which clock it is. */
export interface ShareWindow extends WindowKey {
  /**
   * When the window ends, by the store's clock, and in monotonic milliseconds
   * by the clock as it was when the share began.
   */
  readonly endsAt: number
  readonly dueAt: number
  /** Whether the store had not replied yet. */
  readonly isGuess: boolean
}

/** By how much the store's time may be estimated too early. A clock that moves further was set. */
export const lagMs = 1000

/**
 * The window in which a share begins now.
 *
 * @param at monotonic milliseconds
 * @param least a window that has certainly begun
 * @param outdated that of the share before, if it is
 */
export function beginWindow(
  { bucket, windowLength }: BucketWindow,
  clock: StoreTime,
  at: number,
  { least, outdated }: { readonly least: number; readonly outdated: ShareWindow | undefined },
): ShareWindow {
  const timeMs = clock.now()
  let { id, endsAt } = windowAt(timeMs, windowLength)
  if (id < least) ({ id, endsAt } = windowOf(least, windowLength))
  // The local clock may have been right: the estimate lags by the time that the reply took.
  const isAhead = outdated?.isGuess === true && outdated.window > id
  if (isAhead && clock.latest() >= beginOf(outdated.window, windowLength)) {
    id = outdated.window
    endsAt = outdated.endsAt
  }
  const dueAt = at + endsAt - timeMs
  const isGuess = !clock.hasReplied()
  // The true window of its calls may end later, at most by a window.
  const overAt = isGuess ? dueAt + endsAt - beginOf(id, windowLength) : dueAt
  return { bucket, windowLength, window: id, endsAt, dueAt, overAt, isGuess }
}

export function isOutdated(share: ShareWindow, clock: StoreTime, at: number): boolean {
  if (share.isGuess && clock.hasReplied()) return true
  const timeMs = clock.now()
  // How far the clock was set forward since the share began.
  const movedMs = share.dueAt - at - (share.endsAt - timeMs)
  return share.endsAt <= timeMs && movedMs > lagMs
}

/**
 * Whether the calls of an outdated share count in this window: it is the one
 * that they were taken for, though a fast clock may have begun it early, or it
 * may have begun by the last one.
 */
export function countsIn(
  window: number,
  outdated: ShareWindow & { readonly spentAt: number },
  clock: StoreTime,
  at: number,
): boolean {
  if (window === outdated.window) return true
  return clock.latest() - (at - outdated.spentAt) >= beginOf(window, outdated.windowLength)
}

function beginOf(window: number, windowLength: BucketWindow['windowLength']): number {
  return windowEnd(window - 1, windowLength)
}
