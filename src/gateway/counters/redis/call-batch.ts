import type { OutagePolicy } from '../../../catalogue/catalogue.ts'
import type { RosterMember } from '../../../platform/roster.ts'
import type { BucketLimit, BucketWindow, Grant, Standing } from '../counter.ts'
import { admission, distinctLimits, refusal, standingOf } from '../standing.ts'
import type { CallGroup, GrantReply } from './grant-script.ts'

/** A call waiting for its decision. */
export interface WaitingCall {
  readonly limits: readonly BucketLimit[]
  readonly onOutage: OutagePolicy
  readonly done: (grant: Grant) => void
}

/** The calls of one event-loop turn, merged into one request to the store. */
export interface CallBatch extends RosterMember {
  readonly buckets: readonly BatchBucket[]
  readonly groups: readonly CallGroup[]
  add(call: WaitingCall): void
  /**
   * Gives every call its decision. In a group, the first calls get what was
   * granted.
   *
   * @param nowMs the store's time now, later than in the reply by its travel
   * time
   */
  answer(reply: GrantReply, nowMs: number): void
  /** Number of calls in the batch. */
  size(): number
  /** Every call, for a decision without the store. */
  calls(): Iterable<WaitingCall>
  /** Ignores what the reply says about the bucket. */
  forget(bucket: string): void
}

export interface BatchBucket extends BucketWindow {
  readonly index: number
  /** The bucket was reset after the request was sent. */
  isForgotten: boolean
}

/**
 * Calls with the same limits on the same buckets form a group. Deciding n equal
 * calls one by one grants `min(n, calls left in the scarcest bucket)`, so one
 * request for n calls gives the same result. Limits can differ when a plan has
 * just changed or one call has a second limit. Then the groups run in order in
 * one script, and each sees what the previous one took.
 */
interface Group extends CallGroup {
  asked: number
  /** One entry per bucket. */
  readonly distinct: readonly BucketLimit[]
  readonly waiting: WaitingCall[]
}

export function createCallBatch(): CallBatch {
  const buckets: BatchBucket[] = []
  const bucketsByName = new Map<string, BatchBucket>()
  const groups: Group[] = []
  /** Frequent callers reuse their list of limits. Equal lists that are different objects only make more groups. */
  const groupsByLimits = new Map<readonly BucketLimit[], Group>()

  function indexOf({ bucket, windowLength }: BucketLimit): number {
    const known = bucketsByName.get(bucket)
    if (known !== undefined) return known.index
    const index = buckets.length
    const added = { bucket, windowLength, index, isForgotten: false }
    buckets.push(added)
    bucketsByName.set(bucket, added)
    return index
  }

  function groupOf(distinct: readonly BucketLimit[]): Group {
    let group = groupsByLimits.get(distinct)
    if (group === undefined) {
      const limits = distinct.map((limit) => ({ index: indexOf(limit), calls: limit.calls }))
      group = { asked: 0, limits, distinct, waiting: [] }
      groups.push(group)
      groupsByLimits.set(distinct, group)
    }
    return group
  }

  return {
    place: -1,
    buckets,
    groups,
    add(call) {
      const group = groupOf(distinctLimits(call.limits))
      group.asked += 1
      group.waiting.push(call)
    },
    answer(reply, nowMs) {
      for (const group of groups) answerGroup(group, reply, nowMs)
    },
    size() {
      let calls = 0
      for (const { asked } of groups) calls += asked
      return calls
    },
    *calls() {
      for (const { waiting } of groups) yield* waiting
    },
    forget(bucket) {
      const known = bucketsByName.get(bucket)
      if (known !== undefined) known.isForgotten = true
    },
  }
}

/**
 * Worked example: the store grants 3 of 5 calls on a bucket with limit 100, and
 * the count is then 100. The first call was the 98th (100 − 3 + 1) and has 2
 * calls left, then 1, then 0; the last two are refused. Across all processes
 * each remaining value is given once.
 */
function answerGroup({ distinct, limits, waiting }: Group, reply: GrantReply, nowMs: number): void {
  const granted = reply.nextGroup()
  const counts = limits.map(() => reply.nextCount())
  const resets = limits.map(({ index }) => Math.max(1, Math.ceil(reply.endsAtOf(index) - nowMs)))

  function standingsOf(call: WaitingCall, place: number): Standing[] {
    const isAdmitted = place < granted
    return call.limits.map((limit, at) => {
      // Limits that share a bucket were merged into one, so positions differ.
      const index =
        call.limits.length === distinct.length
          ? at
          : distinct.findIndex(({ bucket }) => bucket === limit.bucket)
      const after = counts[index] ?? 0
      const count = isAdmitted ? after - granted + place + 1 : after
      const window = reply.windowOf(limits[index]?.index ?? 0)
      return standingOf(limit.calls, count, isAdmitted, resets[index], window)
    })
  }

  for (const [place, call] of waiting.entries()) {
    const standings = standingsOf(call, place)
    call.done(place < granted ? admission('admitted', standings) : refusal('refused', standings))
  }
}
