import type { BucketLimit, Grant, PeekedBucket } from './counter.ts'
import type { BucketCount } from './grant-script.ts'
import { refusal, standingOf } from './standing.ts'
import { windowEnd } from './window.ts'
import { createWindowMap } from './window-map.ts'

/** The highest count of a bucket the store confirmed to this process. */
export interface SeenCount extends PeekedBucket, BucketCount {
  /** Monotonic milliseconds up to which the window lasts for sure: sending the request plus the time it had left. */
  readonly refuseUntil: number
  /** Monotonic milliseconds at which the window is over for sure: the latest moment at which the reply was made, plus the time it had left. */
  readonly overAt: number
}

/** What a reply said of a bucket, and when. */
export interface CountReply extends PeekedBucket, BucketCount {
  readonly serverTimeMs: number
  /** Monotonic milliseconds. */
  readonly sentAt: number
  /** Monotonic milliseconds by which it was made. */
  readonly madeAt: number
}

/**
 * Remembers what the store confirmed. It is the floor sent along with each
 * request, so that counts climb back after the store lost them; the reason to
 * refuse without asking; and the basis of the local share in an outage.
 */
export interface SeenCounts {
  find(bucket: string, windowSeconds: number): SeenCount | undefined
  /**
   * Adopts a reply unless it says less than is known: an older window, or a
   * lower epoch in the same one. A higher epoch (the bucket was reset) is
   * adopted whatever its window.
   */
  learn(reply: CountReply): void
  /**
   * Refuses a call of which a bucket is known to be used up. A count of a
   * window only grows, so what was known stays true until the window ends;
   * compared with the limit of this call, so that a raised limit needs no
   * announcement. Undefined when the store has to be asked.
   */
  refuse(limits: readonly BucketLimit[]): Grant | undefined
  forget(bucket: string): void
  /** Drops what is over. Called now and then. */
  drop(): void
  all(): Iterable<SeenCount>
}

/** A window is remembered for so long after its end, for a store whose clock goes back to it (a failover to a server whose clock is behind). */
const keepMs = 10_000

/** Of one window; at some 200 bytes each. What exceeds it is asked of the store again. */
const entriesMax = 500_000

/** {@link SeenCount}, from inside. */
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
      const { bucket, windowSeconds, window, epoch, count, serverTimeMs, sentAt, madeAt } = reply
      const known = seen.find(bucket, windowSeconds)
      if (known !== undefined && !isNews(reply, known)) return
      const resetMs = windowEnd(window, windowSeconds) - serverTimeMs
      // The store's milliseconds are rounded down, which may add up to one to what is left.
      const refuseUntil = sentAt + resetMs - 1
      const overAt = madeAt + resetMs
      if (known === undefined || known.window !== window) {
        seen.set(
          { bucket, windowSeconds, window, endsAt: overAt },
          { bucket, windowSeconds, window, epoch, count, refuseUntil, overAt },
        )
        return
      }
      // In place, because this is every reply but the first of a window. A count of the same epoch never
      // falls: if the store's did, it lost some, and the floor will bring them back.
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
        limits.map(({ bucket, windowSeconds, calls }) => {
          const known = seen.find(bucket, windowSeconds)
          return known === undefined || known.overAt <= at
            ? standingOf(calls, 0, false, undefined)
            : standingOf(calls, known.count, false, Math.ceil(known.overAt - at))
        }),
      )
    },
    forget: seen.delete,
    drop: () => seen.drop(monotonic()),
    all: seen.entries,
  }

  function isUsedUp({ bucket, windowSeconds, calls }: BucketLimit, at: number): boolean {
    const known = seen.find(bucket, windowSeconds)
    return known !== undefined && known.count >= calls && at < known.refuseUntil
  }
}
