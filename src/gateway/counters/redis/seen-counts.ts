import type { WindowLength } from '../../../catalogue/catalogue.ts'
import type { BucketLimit, BucketWindow, Grant } from '../counter.ts'
import { refusal, standingOf } from '../standing.ts'
import type { BucketCount } from './grant-script.ts'
import { driftMost } from './store-clock.ts'
import { createWindowMap } from './window-map.ts'

/** The highest count of a bucket that the store confirmed to this process. */
export interface SeenCount extends BucketWindow, BucketCount {
  /**
   * Monotonic milliseconds until which the window certainly lasts: when the
   * request was sent, plus the time left, or {@link trustMs} if that is less.
   */
  readonly refuseUntil: number
  /**
   * Monotonic milliseconds at which the window is certainly over: the latest
   * possible moment of the reply, plus the time left.
   */
  readonly overAt: number
}

/** A bucket's count in a reply, with its times. */
export interface CountReply extends BucketWindow, BucketCount {
  /** Milliseconds that the window lasted when the reply was made. */
  readonly resetMs: number
  /** Monotonic milliseconds. */
  readonly sentAt: number
  /** Monotonic milliseconds by which the server had made the reply. */
  readonly madeAt: number
}

/**
 * Remembers the counts the store confirmed. They serve three purposes: the
 * floor sent with each request, from which the store restores lost counts;
 * refusals without asking; and the base of the local share in an outage.
 */
export interface SeenCounts {
  find(bucket: string, windowLength: WindowLength): SeenCount | undefined
  /**
   * Adopts a reply unless it says less than is already known: an older window,
   * or a lower epoch in the same window. A higher epoch (the bucket was reset)
   * is always adopted.
   */
  learn(reply: CountReply): void
  /**
   * Refuses a call if one of its buckets is known to be used up. The count of a
   * window only grows, so it stays used up until the window ends. The
   * comparison uses this call's limit, so a raised limit works at once.
   * Undefined when the store must be asked.
   */
  refuse(limits: readonly BucketLimit[]): Grant | undefined
  /** Drops the count of a bucket if its epoch is lower. */
  forget(bucket: string, epoch: number): void
  /** Drops windows that are over. Called periodically. */
  drop(): void
  all(): Iterable<SeenCount>
}

/**
 * Time for which a window outlives its end, for a store whose clock goes back
 * to it (a failover to a server whose clock is behind).
 */
const keepMs = 10_000

/**
 * How long a reply allows refusals without asking: in the rest of a month, the
 * clocks of process and store drift apart by minutes.
 */
const trustMs = 3_600_000

/** Maximum entries per window, about 200 bytes each. For buckets beyond that, the store is asked. */
const entriesMax = 500_000

/** {@link SeenCount}, writable here. */
type Known = { -readonly [Member in keyof SeenCount]: SeenCount[Member] }

export function createSeenCounts({ monotonic }: { monotonic: () => number }): SeenCounts {
  const seen = createWindowMap<Known>({ entriesMax, keepMs })

  function isNews(reply: CountReply, known: Known): boolean {
    if (reply.epoch !== known.epoch) {
      return reply.epoch > known.epoch || reply.window > known.window
    }
    return reply.window >= known.window
  }

  return {
    find: seen.find,
    learn(reply) {
      const { bucket, windowLength, window, epoch, count, resetMs, sentAt, madeAt } = reply
      const known = seen.find(bucket, windowLength)
      if (known !== undefined && !isNews(reply, known)) return
      // The store rounds milliseconds down, which may add up to 1 to the time left.
      const refuseUntil = sentAt + Math.min(resetMs - 1, trustMs)
      const overAt = madeAt + resetMs
      if (known === undefined || known.window !== window) {
        // For the store, the window may still last when the monotonic clock has passed its end.
        const overAtLatest = overAt + resetMs * driftMost
        seen.set(
          { bucket, windowLength, window, overAt: overAtLatest },
          { bucket, windowLength, window, epoch, count, refuseUntil, overAt },
        )
        return
      }
      // Updated in place, because this handles every reply but the first of a window. A count of one epoch never
      // falls: if the store's did, the store lost counts, and the floor will restore them.
      known.count = known.epoch === epoch ? Math.max(known.count, count) : count
      known.epoch = epoch
      known.refuseUntil = refuseUntil
      known.overAt = overAt
    },
    refuse(limits) {
      const at = monotonic()
      if (!limits.some((limit) => isUsedUp(limit, at))) return undefined
      return refusal(
        'refused_local',
        limits.map(({ bucket, windowLength, calls }) => {
          const known = seen.find(bucket, windowLength)
          return known === undefined || known.overAt <= at
            ? standingOf(calls, 0, false, undefined, undefined)
            : standingOf(calls, known.count, false, Math.ceil(known.overAt - at), known.window)
        }),
      )
    },
    forget: (bucket, epoch) => seen.delete(bucket, (known) => known.epoch < epoch),
    drop: () => seen.drop(monotonic()),
    all: seen.entries,
  }

  function isUsedUp({ bucket, windowLength, calls }: BucketLimit, at: number): boolean {
    const known = seen.find(bucket, windowLength)
    return known !== undefined && known.count >= calls && at < known.refuseUntil
  }
}
