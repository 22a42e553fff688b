import { unknownClient } from './http/client-address.ts'
import { unknownClientsFactor } from './http/client-network.ts'

/** Counts by name. The window of a name begins with its first count. */
export interface FixedWindows {
  /** Adds 1. */
  count(name: string): Count
  /** Takes 1 back. @param name that of the {@link Count} */
  takeBack(name: string): void
  /** Ends the window of a name, or takes 1 back where unknown clients share it. @param name that of the {@link Count} */
  clear(name: string): void
}

export interface Count {
  /** The counted name: the given one, or that of unknown clients. */
  readonly name: string
  /** Counts above the allowance; 0 or less: within it. */
  readonly excess: number
  /** Milliseconds until the window ends, above 0. */
  readonly endsInMs: number
}

export interface FixedWindowsOptions {
  /** Counts of one name in a window. Unknown clients together have {@link unknownClientsFactor} times as many. */
  readonly allowance: number
  readonly windowMs: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Names with their own window. Without a bound, a flood of made-up names would take all memory. */
export const ownWindowsMax = 100_000

const sweepMs = 1_000

/**
 * Creates windows in this process. While {@link ownWindowsMax} windows run,
 * further names count with the unknown clients: a flood neither ends the window
 * of a name nor lifts the limit of new ones.
 */
export function createFixedWindows(options: FixedWindowsOptions): FixedWindows {
  const { allowance, windowMs, now } = options
  /** By name, in the order in which they end. */
  const windows = new Map<string, { readonly end: number; count: number }>()
  let sweepAt = 0

  /** Once a second, because V8 walks over all deleted entries at the front of a map to reach the first one. */
  function sweep(nowMs: number): void {
    if (nowMs < sweepAt) return
    sweepAt = nowMs + sweepMs
    for (const [name, { end }] of windows) {
      if (end > nowMs) return
      windows.delete(name)
    }
  }

  function windowOf(name: string, nowMs: number) {
    const running = windows.get(name)
    if (running !== undefined && running.end > nowMs) return running
    const window = { end: nowMs + windowMs, count: 0 }
    windows.delete(name)
    windows.set(name, window)
    return window
  }

  function takeBack(name: string): void {
    const window = windows.get(name)
    if (window !== undefined && window.count > 0) window.count -= 1
  }

  return {
    count(given) {
      const nowMs = now()
      sweep(nowMs)
      const isApart = windows.has(given) || windows.size < ownWindowsMax
      const name = isApart ? given : unknownClient
      const window = windowOf(name, nowMs)
      window.count += 1
      const allowed = allowance * (name === unknownClient ? unknownClientsFactor : 1)
      return { name, excess: window.count - allowed, endsInMs: window.end - nowMs }
    },
    takeBack,
    clear(name) {
      if (name === unknownClient) takeBack(name)
      else windows.delete(name)
    },
  }
}
