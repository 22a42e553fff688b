import type { CountSample } from '../../platform/count-sample.ts'
import { hashText } from '../../platform/hash-text.ts'
import type { BucketLimit, Counter, Grant } from './counter.ts'
import { windowEnd } from './window.ts'

/** What a process remembers of the numbers that its calls got. */
export interface CountSamples {
  /** The current and the last window of each bucket that is sampled. */
  all(): readonly CountSample[]
  /**
   * From 0 to 1: buckets with a {@link sampleHash} below it are sampled. It is 1
   * until the samples need too much memory, and then falls by halves until the
   * process ends, so all processes sample the same buckets.
   */
  share(): number
}

export interface CountSamplesOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Buckets that are sampled while no share is given up: some 10 MB. */
  readonly bucketsMax?: number
  /** The same for the numbers in all runs, 8 bytes each. */
  readonly numbersMax?: number
}

/** Numbers in the runs of a window; few unless processes alternate under a large limit. */
const runsMax = 20_000

interface Window {
  readonly window: number
  /** Undefined: none. Most have one, and a list that is pushed to makes room for many at once. */
  runs: number[] | undefined
  local: number
  isReset: boolean
  isCut: boolean
}

interface Bucket extends Pick<BucketLimit, 'windowLength'> {
  current: Window
  last: Window | undefined
}

/**
 * The same counter, which also keeps what each admitted call got. With the
 * samples of all processes, `tollgate prove --window` shows that each number
 * from 1 to n was given once.
 */
export function sampleCounts(
  counter: Counter,
  { now = Date.now, bucketsMax = 50_000, numbersMax = 2_000_000 }: CountSamplesOptions = {},
): { readonly counter: Counter; readonly samples: CountSamples } {
  const buckets = new Map<string, Bucket>()
  /** In the runs of all buckets. */
  let numbers = 0
  let share = 1
  /** Reset before this process knew them. */
  const resets = new Set<string>()

  function windowOf({ bucket, windowLength }: BucketLimit, window: number): Window | undefined {
    let known = buckets.get(bucket)
    if (known === undefined) {
      if (share < 1 && sampleHash(bucket) >= share) return undefined
      const current = emptyWindow(window, resets.delete(bucket))
      known = { windowLength, current, last: undefined }
      buckets.set(bucket, known)
    }
    if (known.current.window === window) return known.current
    // A reply of the last window may arrive after the first one of the next.
    if (known.current.window > window) return known.last?.window === window ? known.last : undefined
    numbers -= numbersOf(known.last)
    known.last = known.current
    known.current = emptyWindow(window, false)
    return known.current
  }

  function note(limits: readonly BucketLimit[], { decision, standings }: Grant): void {
    for (const [at, limit] of limits.entries()) {
      const standing = standings[at]
      if (standing?.window === undefined) continue
      const { window, remaining } = standing
      // Limits on one bucket count a call once.
      if (at > 0 && limits.findIndex(({ bucket }) => bucket === limit.bucket) !== at) continue
      const sample = windowOf(limit, window)
      if (sample === undefined) continue
      if (decision === 'admitted') add(sample, limit.calls - remaining)
      else sample.local += 1
    }
    if (isFull()) makeRoom()
  }

  function isFull(): boolean {
    return buckets.size > bucketsMax || numbers > numbersMax
  }

  function add(sample: Window, number: number): void {
    const { runs = [] } = sample
    const end = runs.length - 1
    if (runs[end] === number - 1) runs[end] = number
    else if (runs.length >= runsMax) sample.isCut = true
    else {
      if (sample.runs === undefined) sample.runs = [number, number]
      else runs.push(number, number)
      numbers += 2
    }
  }

  function remove(bucket: string, { current, last }: Bucket): void {
    buckets.delete(bucket)
    numbers -= numbersOf(current) + numbersOf(last)
  }

  /** Buckets that a proof no longer compares go first, then a share of all, present and future. */
  function makeRoom(): void {
    for (const [bucket, known] of buckets) {
      if (windowEnd(known.current.window + 1, known.windowLength) < now()) remove(bucket, known)
    }
    while (isFull()) {
      share /= 2
      for (const [bucket, known] of buckets) {
        if (sampleHash(bucket) >= share) remove(bucket, known)
      }
    }
  }

  function forget(bucket: string): void {
    const known = buckets.get(bucket)
    if (known !== undefined) known.current.isReset = true
    else if (resets.size < bucketsMax) resets.add(bucket)
  }

  return {
    counter: {
      ...counter,
      grant(limits, onOutage, done) {
        counter.grant(limits, onOutage, (grant) => {
          if (grant.admitted) note(limits, grant)
          done(grant)
        })
      },
      async reset(bucket) {
        const epoch = await counter.reset(bucket)
        forget(bucket.bucket)
        return epoch
      },
      forget(bucket, epoch) {
        counter.forget(bucket, epoch)
        forget(bucket)
      },
    },
    samples: {
      share: () => share,
      all: () =>
        [...buckets].flatMap(([bucket, { current, last }]) =>
          [last, current].flatMap((window) =>
            window === undefined ? [] : [{ bucket, ...window, runs: window.runs ?? [] }],
          ),
        ),
    },
  }
}

function numbersOf(window: Window | undefined): number {
  return window?.runs?.length ?? 0
}

function emptyWindow(window: number, isReset: boolean): Window {
  return { window, runs: undefined, local: 0, isReset, isCut: false }
}

/** From 0 to below 1, the same in every process. */
export function sampleHash(bucket: string): number {
  return hashText(bucket) / 2 ** 32
}
