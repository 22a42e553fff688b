import type { OutagePolicy, WindowLength } from '../../../catalogue/catalogue.ts'
import type { BucketLimit, BucketWindow, Grant } from '../counter.ts'
import { admission, distinctLimits, refusal, standingOf } from '../standing.ts'
import { windowEnd } from '../window.ts'
import type { Addition, AskedBucket } from './grant-script.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { SeenCount, SeenCounts } from './seen-counts.ts'
import { beginWindow, countsIn, isOutdated, lagMs, type ShareWindow } from './share-window.ts'
import type { StoreTime } from './store-clock.ts'
import { createWindowMap } from './window-map.ts'

/** What {@link Heartbeat} knows of the processes that share a store. */
export type Division = Pick<Heartbeat, 'processes' | 'place' | 'placesVersion' | 'isCutOff'>

/** Decides calls while the store does not answer, and keeps account of these calls. */
export interface LocalShares {
  /** Decides one call by its policy, without the store. */
  decide(limits: readonly BucketLimit[], policy: OutagePolicy): Grant
  /** Takes the unsent calls of one bucket; undefined when it has nothing to send. */
  takeAddition(bucket: string, windowLength: WindowLength): Addition | undefined
  /** Takes the unsent calls of a server's buckets, at most `max` buckets. */
  takeOwing(max: number, isOurs: (bucket: string) => boolean): readonly AskedBucket[]
  /** Counts the addition as unsent again, because sending failed or its result is unknown. */
  giveBack(addition: Addition): void
  /** Counts a returned addition as sent, because its reply arrived after all. */
  confirmLate(addition: Addition): void
  forget(bucket: string): void
  /** Drops windows that are over. Called periodically. */
  drop(): void
}

export interface LocalSharesOptions {
  /** Among how many processes a share is divided, and the place of this one among them. */
  readonly division: Division
  readonly seen: SeenCounts
  /** The clock of the server that counts the bucket. */
  readonly clockOf: (bucket: string) => StoreTime
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** What this process did alone on a bucket in one window. */
interface Share extends ShareWindow {
  /** The largest number of processes known in this window, and the `base` that {@link createLocalShares} explains. */
  processes: number
  base: number
  /** The place of this process for the bucket, and the version of places it is from. */
  place: number | undefined
  placesVersion: number
  /** Calls admitted without the store. */
  spent: number
  /** Those calls that the store does not have yet. */
  owed: number
  /** Monotonic milliseconds of the last such call. */
  spentAt: number
}

/** What a share begins with. */
const unused = { processes: 1, spent: 0, owed: 0, spentAt: 0 }

/** Retry-After under `deny`: by then the next attempt to reach the store is over. */
const denyRetryMs = 1000

/** Time for which shares and unsent calls outlive their window, for a store whose clock is behind. */
const keepMs = 10_000

/**
 * The share of one process is `floor((limit − seen + bonus) / N)` calls. `seen`
 * is the last count the store confirmed (0 for an unknown bucket), and N the
 * number of processes. What does not divide goes to the first places: `bonus` is
 * `N − 1 − place`, so that all shares together are exactly what was left, even if
 * that is less than N. Without a place it is 0, and while the store answers
 * something, which may have lost counters. A process gets its share once for
 * each bucket and window. When the store returns and fails again, the calls still
 * allowed are the smaller of the rest of the old share and the share of what is
 * left now (the bonus left out):
 *
 *     spent + floor((limit − seen) / N) = floor((limit − (seen − N·spent)) / N)
 *
 * So it is enough to keep the largest `seen − N·spent` so far, the base. This
 * also holds when the limit changes. Worked example with limit 100, N = 4: seen
 * 20 gives floor(80/4) = 20 calls. After 5 calls the store returns, then fails
 * with 60 seen: base = max(20, 60 − 4·5) = 40, floor(60/4) = 15 in all, 10
 * more.
 *
 * When more processes appear, the rest of the share is divided again and never
 * grows: base' = base − (N' − N)·spent keeps base + N·spent, the count it
 * stands for. In the example with N' = 8: base' = 40 − 4·5 = 20 and floor(80/8)
 * = 10 in all, 5 more. Fewer processes change nothing before the next window,
 * because those that ended have spent their shares. A place only moves back, for
 * the same reason.
 */
export function createLocalShares({
  division,
  seen,
  clockOf,
  monotonic,
}: LocalSharesOptions): LocalShares {
  // Kept longer, because a later estimate of the store's time may return to a window that seemed over.
  const shares = createWindowMap<Share>({ keepMs })
  /** Shares with calls the store does not have yet. */
  const owing = createWindowMap<Share>({ keepMs })

  function shareOf(of: BucketWindow): Share {
    const { bucket, windowLength } = of
    const clock = clockOf(bucket)
    const timeMs = clock.now()
    const known = seen.find(bucket, windowLength)
    const before = shares.find(bucket, windowLength)
    // The estimate of the store's time lags slightly. A window seen in a reply has certainly begun, and ends when its
    // refusals said that it does.
    const begun = known === undefined ? 0 : known.window + (isOver(known, timeMs) ? 1 : 0)
    const outdated =
      before !== undefined && isOutdated(before, clock, monotonic()) ? before : undefined
    const isCurrent = before !== undefined && before.endsAt > timeMs && before.window >= begun
    const share = isCurrent && outdated === undefined ? before : begin(of, outdated, begun)
    if (share.placesVersion !== division.placesVersion()) {
      share.placesVersion = division.placesVersion()
      share.place = later(share.place, division.place(bucket))
    }
    const more = division.processes() - share.processes
    if (more > 0) {
      share.processes += more
      share.base -= more * share.spent
    }
    if (known !== undefined && known.window === share.window) {
      share.base = Math.max(share.base, known.count - share.processes * share.spent)
    }
    return share
  }

  /** Begins the share of the current window; the calls of an outdated one come along if they count in it. */
  function begin(of: BucketWindow, outdated: Share | undefined, least: number): Share {
    const clock = clockOf(of.bucket)
    const at = monotonic()
    const window = beginWindow(of, clock, at, { least, outdated })
    const isKept = outdated !== undefined && countsIn(window.window, outdated, clock, at)
    const { processes, spent, owed, spentAt } = isKept ? outdated : unused
    const place = division.place(of.bucket)
    const share: Share = {
      ...window,
      processes,
      base: 0,
      spent,
      owed,
      spentAt,
      place: isKept ? later(outdated.place, place) : place,
      placesVersion: division.placesVersion(),
    }
    shares.set(share, share)
    if (owed > 0) {
      owing.delete(share.bucket)
      owing.set(share, share)
    }
    return share
  }

  /** In a month, the monotonic clock gains minutes on the store, but the estimate never lags by a second. */
  function isOver({ window, windowLength, overAt }: SeenCount, timeMs: number): boolean {
    return overAt <= monotonic() && windowEnd(window, windowLength) - timeMs < lagMs
  }

  function left({ processes, base, place, spent }: Share, calls: number): number {
    const hasRest = place !== undefined && division.isCutOff()
    const bonus = hasRest ? Math.max(0, processes - 1 - place) : 0
    return Math.max(0, Math.floor((calls - base + bonus) / processes) - spent)
  }

  function take(share: Share): Addition | undefined {
    const { bucket, windowLength } = share
    const clock = clockOf(bucket)
    const current = isOutdated(share, clock, monotonic()) ? shareOf(share) : share
    const isEnded = current.endsAt <= clock.now()
    const { window, owed: count } = current
    owing.delete(bucket)
    current.owed = 0
    // The count of a past window no longer matters.
    if (count === 0 || isEnded) return undefined
    return { bucket, windowLength, window, count }
  }

  return {
    decide(limits, policy) {
      if (policy === 'deny') {
        const standings = limits.map(() => standingOf(0, 0, false, undefined, undefined))
        return { ...refusal('degraded_refused', standings), retryAfterMs: denyRetryMs }
      }
      const distinct = distinctLimits(limits)
      const isAdmitted =
        policy === 'allow' || distinct.every((limit) => left(shareOf(limit), limit.calls) > 0)
      if (isAdmitted) {
        for (const limit of distinct) {
          const share = shareOf(limit)
          share.spent += 1
          share.owed += 1
          share.spentAt = monotonic()
          owing.set(share, share)
        }
      }
      const standings = limits.map((limit) => {
        const share = shareOf(limit)
        const count = limit.calls - left(share, limit.calls)
        return standingOf(limit.calls, count, isAdmitted, undefined, share.window)
      })
      if (isAdmitted) return admission('degraded_admitted', standings)
      let retryAfterMs = 1
      for (const limit of limits) {
        const share = shareOf(limit)
        if (left(share, limit.calls) > 0) continue
        const resetMs = Math.ceil(share.endsAt - clockOf(share.bucket).now())
        retryAfterMs = Math.max(retryAfterMs, resetMs)
      }
      return { ...refusal('degraded_refused', standings), retryAfterMs }
    },
    takeAddition(bucket, windowLength) {
      if (owing.isEmpty()) return undefined
      const share = shares.find(bucket, windowLength)
      return share === undefined ? undefined : take(share)
    },
    takeOwing(max, isOurs) {
      const asked: AskedBucket[] = []
      for (const share of owing.entries()) {
        if (asked.length === max) break
        const { bucket, windowLength } = share
        if (!isOurs(bucket)) continue
        const addition = take(share)
        if (addition === undefined) continue
        asked.push({ bucket, windowLength, floor: seen.find(bucket, windowLength), addition })
      }
      return asked
    },
    giveBack({ bucket, windowLength, window, count }) {
      const share = shares.find(bucket, windowLength)
      if (share === undefined || share.window !== window) return
      share.owed += count
      owing.set(share, share)
    },
    confirmLate({ bucket, windowLength, window, count }) {
      const share = shares.find(bucket, windowLength)
      if (share === undefined || share.window !== window) return
      // If it was sent again meanwhile, the store added it twice. The balance never falls below 0.
      share.owed = Math.max(0, share.owed - count)
      if (share.owed === 0) owing.delete(bucket)
    },
    forget(bucket) {
      shares.delete(bucket)
      owing.delete(bucket)
    },
    drop() {
      const at = monotonic()
      shares.drop(at)
      owing.drop(at)
    },
  }
}

/** Within a window a place only moves back, because others may have used those before it. */
function later(place: number | undefined, now: number | undefined): number | undefined {
  return place === undefined || now === undefined ? undefined : Math.max(place, now)
}
