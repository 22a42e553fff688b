/** A bound on what work does in the long run. */
export interface Pace {
  readonly perSecond: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/**
 * Gives work a rest that fits what it did.
 *
 * @param work resolves to how many rows, say, it wrote
 * @returns runs the work, or does nothing while it rests
 */
export function atPace(
  work: () => Promise<number>,
  { perSecond, monotonic }: Pace,
): () => Promise<void> {
  let restsUntil = Number.NEGATIVE_INFINITY
  return async () => {
    const startedAt = monotonic()
    if (startedAt < restsUntil) return
    restsUntil = startedAt + ((await work()) / perSecond) * 1_000
  }
}
