/**
 * One window of a limit. Windows are fixed and follow each other without gaps,
 * so all processes agree on them without communication. This file, and
 * `redis/window.lua` for the scripts, is all that knows how time divides into
 * windows.
 */
export interface Window {
  /** Number of the window; the next one has the next number. */
  readonly id: number
  /** The first millisecond of the next window, since 1970 by the clock of the store that counts. */
  readonly endsAt: number
}

/**
 * Returns the window that contains a moment. Window n of length w covers the
 * milliseconds from n·w up to, not including, (n+1)·w. "Per hour" therefore
 * means per clock hour. This is our choice: a window that begins with a key's
 * first call could not be computed from the time alone.
 *
 * Worked example, length 3600 s:
 * - 10:59:59.999 on 2026-11-20 is 1,795,172,399,999 ms → window 498,658
 * - 11:00:00.000 is 1,795,172,400,000 ms → window 498,659, which ends at
 *   1,795,176,000,000 ms: at 11:20:00, 2,400,000 ms are left
 *
 * @param timeMs milliseconds since 1970 by the clock of the store that counts
 */
export function windowAt(timeMs: number, windowSeconds: number): Window {
  return windowOf(Math.floor(timeMs / (windowSeconds * 1000)), windowSeconds)
}

/** The window with this number. */
export function windowOf(id: number, windowSeconds: number): Window {
  return { id, endsAt: windowEnd(id, windowSeconds) }
}

/** When the window with this number ends. */
export function windowEnd(id: number, windowSeconds: number): number {
  return (id + 1) * windowSeconds * 1000
}

/**
 * When a window with `resetMs` left ends, in milliseconds since 1970. Windows
 * end on whole seconds of the store's clock. Clock difference and travel time
 * together stay below half a second, so rounding gives the exact second.
 */
export function resetsAt(nowMs: number, resetMs: number): number {
  return Math.round((nowMs + resetMs) / 1000) * 1000
}
