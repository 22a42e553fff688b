import type { WindowLength } from '../../../catalogue/catalogue.ts'

/**
 * Stores one entry per bucket, grouped by window. All entries of a past
 * window are dropped at once, so memory holds only the buckets of current
 * windows.
 */
export interface WindowMap<T> {
  /** The entry of the latest window; undefined when the bucket has no entry. */
  find(bucket: string, windowLength: WindowLength): T | undefined
  /** Replaces any other entry of its bucket. */
  set(key: WindowKey, entry: T): void
  /** @param isDropped which entries (default: all) */
  delete(bucket: string, isDropped?: (entry: T) => boolean): void
  /** Drops the windows that ended before `monotonicMs`. */
  drop(monotonicMs: number): void
  entries(): Iterable<T>
  isEmpty(): boolean
}

/** The bucket and the window of an entry. */
export interface WindowKey {
  readonly bucket: string
  readonly windowLength: WindowLength
  readonly window: number
  /** When the window ends, in monotonic milliseconds; the latest value among a window's entries applies. */
  readonly overAt: number
}

interface Generation<T> {
  readonly window: number
  overAt: number
  readonly entries: Map<string, T>
}

/**
 * @param entriesMax maximum per window and window length; above it, the oldest
 * entry is dropped. (Default: unlimited.)
 * @param keepMs how long a window is kept after its end. (Default: 0.)
 */
export function createWindowMap<T>({
  entriesMax = Number.POSITIVE_INFINITY,
  keepMs = 0,
}: {
  entriesMax?: number
  keepMs?: number
} = {}): WindowMap<T> {
  /** By window length, latest window first; usually one entry, two around the end of a window. */
  const lengths = new Map<WindowLength, Generation<T>[]>()

  function generationOf({ windowLength, window, overAt }: WindowKey): Generation<T> {
    let generations = lengths.get(windowLength)
    if (generations === undefined) {
      generations = []
      lengths.set(windowLength, generations)
    }
    let generation = generations.find((other) => other.window === window)
    if (generation === undefined) {
      generation = { window, overAt, entries: new Map() }
      generations.push(generation)
      generations.sort((a, b) => b.window - a.window)
    } else if (generation.overAt < overAt) generation.overAt = overAt
    return generation
  }

  return {
    find(bucket, windowLength) {
      const generations = lengths.get(windowLength)
      if (generations === undefined) return undefined
      for (const { entries } of generations) {
        const entry = entries.get(bucket)
        if (entry !== undefined) return entry
      }
      return undefined
    },
    set(key, entry) {
      for (const { entries } of lengths.get(key.windowLength) ?? []) entries.delete(key.bucket)
      const { entries } = generationOf(key)
      if (entries.size >= entriesMax) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest)
          break
        }
      }
      entries.set(key.bucket, entry)
    },
    delete(bucket, isDropped = () => true) {
      for (const generations of lengths.values()) {
        for (const { entries } of generations) {
          const entry = entries.get(bucket)
          if (entry !== undefined && isDropped(entry)) entries.delete(bucket)
        }
      }
    },
    drop(monotonicMs) {
      for (const [windowLength, generations] of lengths) {
        const kept = generations.filter(({ overAt }) => overAt + keepMs > monotonicMs)
        if (kept.length === 0) lengths.delete(windowLength)
        else if (kept.length < generations.length) lengths.set(windowLength, kept)
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
