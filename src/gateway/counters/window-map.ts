/**
 * Remembers one entry for each bucket, grouped by window, so that all entries
 * of a window that is over are dropped at once and memory holds no more than
 * the buckets of the windows that last.
 */
export interface WindowMap<T> {
  /** The entry of the latest window, undefined when there is none. */
  find(bucket: string, windowSeconds: number): T | undefined
  /** Puts an entry in place of any other of its bucket. */
  set(place: Place, entry: T): void
  delete(bucket: string): void
  /** Drops the windows that ended before `monotonicMs`. */
  drop(monotonicMs: number): void
  entries(): Iterable<T>
  isEmpty(): boolean
}

/** Where an entry belongs. */
export interface Place {
  readonly bucket: string
  readonly windowSeconds: number
  readonly window: number
  /** Monotonic milliseconds; the latest of a window's entries counts. */
  readonly endsAt: number
}

interface Generation<T> {
  readonly window: number
  endsAt: number
  readonly entries: Map<string, T>
}

/**
 * @param entriesMax of one window and length; the oldest entry makes room. (Default: no bound.)
 * @param keepMs how long a window is kept after its end. (Default: 0.)
 */
export function createWindowMap<T>({
  entriesMax = Number.POSITIVE_INFINITY,
  keepMs = 0,
}: {
  entriesMax?: number
  keepMs?: number
} = {}): WindowMap<T> {
  /** By window length, latest window first; nearly always one, two around its end. */
  const lengths = new Map<number, Generation<T>[]>()

  function generationOf({ windowSeconds, window, endsAt }: Place): Generation<T> {
    let generations = lengths.get(windowSeconds)
    if (generations === undefined) {
      generations = []
      lengths.set(windowSeconds, generations)
    }
    let generation = generations.find((other) => other.window === window)
    if (generation === undefined) {
      generation = { window, endsAt, entries: new Map() }
      generations.push(generation)
      generations.sort((a, b) => b.window - a.window)
    } else if (generation.endsAt < endsAt) generation.endsAt = endsAt
    return generation
  }

  return {
    find(bucket, windowSeconds) {
      const generations = lengths.get(windowSeconds)
      if (generations === undefined) return undefined
      for (const { entries } of generations) {
        const entry = entries.get(bucket)
        if (entry !== undefined) return entry
      }
      return undefined
    },
    set(place, entry) {
      for (const { entries } of lengths.get(place.windowSeconds) ?? []) entries.delete(place.bucket)
      const { entries } = generationOf(place)
      if (entries.size >= entriesMax) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest)
          break
        }
      }
      entries.set(place.bucket, entry)
    },
    delete(bucket) {
      for (const generations of lengths.values()) {
        for (const { entries } of generations) entries.delete(bucket)
      }
    },
    drop(monotonicMs) {
      for (const [windowSeconds, generations] of lengths) {
        const kept = generations.filter(({ endsAt }) => endsAt + keepMs > monotonicMs)
        if (kept.length === 0) lengths.delete(windowSeconds)
        else if (kept.length < generations.length) lengths.set(windowSeconds, kept)
      }
    },
    *entries() {
      for (const generations of lengths.values()) {
        for (const { entries } of generations) yield* entries.values()
      }
    },
    isEmpty() {
      for (const generations of lengths.values()) {
        for (const { entries } of generations) if (entries.size > 0) return false
      }
      return true
    },
  }
}
