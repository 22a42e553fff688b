/**
 * Returns the window that contains a moment. Windows are fixed and begin at the
 * epoch, so all processes agree on them without communication: window n of
 * length w covers the milliseconds from n·w up to, not including, (n+1)·w. "Per
 * hour" therefore means per clock hour. This is our choice: a window that
 * begins with a key's first call could not be computed from the time alone.
 *
 * Worked example, length 3600 s:
 * - 10:59:59.999 on 2026-11-20 is 1,795,172,399,999 ms → window 498,658
 * - 11:00:00.000 is 1,795,172,400,000 ms → window 498,659
 * - at 11:20:00 window 498,659 ends in {@link windowEnd}(498,659, 3600) − now =
 *   1,795,176,000,000 − 1,795,173,600,000 = 2,400,000 ms
 *
 * @param timeMs milliseconds since 1970 by the clock of the store that counts
 */
export function windowAt(timeMs: number, windowSeconds: number): number {
  return Math.floor(timeMs / (windowSeconds * 1000))
}

/** When a window ends: the first millisecond, since 1970, of the next one. */
export function windowEnd(window: number, windowSeconds: number): number {
  return (window + 1) * windowSeconds * 1000
}
