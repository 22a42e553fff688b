/** A bound on what work does on average. */
export interface Pace {
  /** Rows, say. */
  readonly perSecond: number
  /** The longest pause in milliseconds, however much was done. */
  readonly pauseMsMax: number
  /** Whether work must not wait for the end of a pause. (Default: never) */
  readonly isUrgent?: () => boolean
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * Limits how often work runs: after each run it pauses for as long as the amount
 * takes at its pace.
 *
 * @param work resolves to the amount that it did
 * @returns runs the work, or does nothing during a pause
 */
export function atPace(
  work: () => Promise<number>,
  { perSecond, pauseMsMax, isUrgent = () => false, monotonic }: Pace,
): () => Promise<void> {
  let pausesUntil = Number.NEGATIVE_INFINITY
  return async () => {
    const startedAt = monotonic()
    if (startedAt < pausesUntil && !isUrgent()) return
    const amount = await work()
    pausesUntil = startedAt + Math.min((amount / perSecond) * 1_000, pauseMsMax)
  }
}
