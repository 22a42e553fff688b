/**
 * A clock that is stopped until the test sets `now`, in milliseconds. A wait on it never ends unless the
 * test moves it, so {@link watchClocks} reports clocks that were not moved.
 */
export class TestClock {
  /** How often it was read, and set. */
  readonly used = { reads: 0, moves: 0 }
  #now: number

  constructor(now: number) {
    this.#now = now
    clocks.add(new WeakRef(this))
  }

  get now(): number {
    this.used.reads += 1
    return this.#now
  }

  set now(now: number) {
    this.used.moves += 1
    this.#now = now
  }
}

/** Every clock of this process that may still be read. */
const clocks = new Set<WeakRef<TestClock>>()

/**
 * Begins to watch the clocks. The result returns, at any later moment, which were read but not moved since; undefined: none.
 */
export function watchClocks(): () => string | undefined {
  const before = [...clocks].flatMap((reference) => {
    const clock = reference.deref()
    if (clock === undefined) clocks.delete(reference)
    return clock === undefined ? [] : [{ clock, ...clock.used }]
  })
  return () => {
    const still = before.find(
      ({ clock, reads, moves }) => clock.used.reads > reads && clock.used.moves === moves,
    )
    if (still === undefined) return undefined
    const reads = still.clock.used.reads - still.reads
    return `a test clock was read ${reads} times but not moved`
  }
}
