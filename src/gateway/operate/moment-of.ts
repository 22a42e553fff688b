/** How far the clock of the day may run apart from the monotonic one before the difference is taken again. */
const apartMs = 5

/** The moment of `monotonic`; `current` is the monotonic time now. */
export type MomentOf = (monotonic: number, current: number) => number

/**
 * Makes a function that says when something happened, as milliseconds since
 * 1970, from monotonic milliseconds. The clock of the day shows whole
 * milliseconds and may be set; the difference of both clocks, taken once, keeps
 * calls of a process in their order.
 */
export function createMomentOf(clocks: {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly monotonic: () => number
}): MomentOf {
  const { now, monotonic } = clocks
  let difference = now() - monotonic()
  let checkedAt = monotonic()
  return (moment, at) => {
    if (at - checkedAt > 1_000) {
      checkedAt = at
      const latest = now() - at
      if (Math.abs(latest - difference) > apartMs) difference = latest
    }
    return moment + difference
  }
}
