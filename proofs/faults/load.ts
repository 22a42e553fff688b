/** Calls of one kind to one bucket, spread over gateways. Everything a caller process must know, as data. */
export interface Stream {
  /** Name in the callers' log. */
  readonly name: string
  /** Undefined: every call with a new key, well-formed but unknown. */
  readonly key: string | undefined
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Places of the gateways called, each with the same chance. */
  readonly gateways: readonly number[]
  /** Calls a second; 0: only on the {@link CallerOrder} `burst`. */
  readonly perSecond: number
  /** Windows around whose edges nothing is called, so that every call belongs to one for sure. */
  readonly windows?: Windows | undefined
  /** Whether an answer with Retry-After is taken at its word now and then. */
  readonly isObeying?: boolean
}

/** Fixed windows in the time of the machine's monotonic clock. */
export interface Windows {
  readonly seconds: number
  /** Added to monotonic milliseconds, for milliseconds since 1970 by the clock of the store. */
  readonly offsetMs: number
}

/** No call begins so shortly before the end of a window, or so shortly after its begin. */
export const guard = { endMs: 150, beginMs: 40 }

/** Orders to the process of the callers. Each is answered with `done` once it is carried out. */
export type CallerOrder =
  /** Begins to call, until `stop`. */
  | {
      readonly order: 'run'
      readonly ports: readonly number[]
      readonly streams: readonly Stream[]
      readonly log: string
      readonly seed: number
    }
  /** This number of calls of one stream at once; done when all are answered. */
  | { readonly order: 'burst'; readonly stream: Stream; readonly times: number }
  /**
   * Fills as many buckets to their limit in one window after the other as the machine can, until `windows` are full or the
   * time is over.
   */
  | {
      readonly order: 'soak'
      readonly streams: readonly (Stream & { readonly calls: number })[]
      readonly windows: Windows
      readonly full: number
      readonly mostMs: number
      readonly parallel: number
    }
  /** Ends what runs and writes the log; done when all calls have come to their end. */
  | { readonly order: 'stop' }

/** The number of the window a monotonic moment lies in. */
export function windowOf(ms: number, { seconds, offsetMs }: Windows): number {
  return Math.floor((ms + offsetMs) / (seconds * 1000))
}

/** Monotonic milliseconds at which a window begins. */
export function windowBegin(window: number, { seconds, offsetMs }: Windows): number {
  return window * seconds * 1000 - offsetMs
}

/** Whether a call that begins now belongs to its window for sure. */
export function isWellInside(ms: number, windows: Windows | undefined): boolean {
  if (windows === undefined) return true
  const into = ms - windowBegin(windowOf(ms, windows), windows)
  return into >= guard.beginMs && into <= windows.seconds * 1000 - guard.endMs
}
