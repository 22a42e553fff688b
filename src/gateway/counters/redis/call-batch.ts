import type { OutagePolicy } from '../../../catalogue/catalogue.ts'
import type { RosterMember } from '../../../platform/roster.ts'
import type { BucketLimit, BucketWindow, Grant } from '../counter.ts'
import { admission, distinctLimits, refusal, standingOf } from '../standing.ts'
import type { CallGroup, GrantReply } from './grant-script.ts'

/** A call waiting for its decision. */
export interface WaitingCall {
  readonly limits: readonly BucketLimit[]
  readonly onOutage: OutagePolicy
  readonly done: (grant: Grant) => void
}

export interface BatchBucket extends BucketWindow {
  readonly index: number
  /** The bucket was reset after the request was sent: what a reply of a lower epoch says is over. 0: it was not. */
  epochLeast: number
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

/** The calls of one event-loop turn, merged into one request to the store. */
export class CallBatch implements RosterMember {
  place = -1
  readonly #buckets: BatchBucket[] = []
  readonly #bucketsByName = new Map<string, BatchBucket>()
  readonly #groups: Group[] = []
  /** Frequent callers reuse their list of limits. Equal lists that are different objects only make more groups. */
  readonly #groupsByLimits = new Map<readonly BucketLimit[], Group>()
  #size = 0

  get buckets(): readonly BatchBucket[] {
    return this.#buckets
  }

  get groups(): readonly CallGroup[] {
    return this.#groups
  }

  /** Number of calls in the batch. */
  get size(): number {
    return this.#size
  }

  add(call: WaitingCall): void {
    const distinct = distinctLimits(call.limits)
    const group = this.#groupsByLimits.get(distinct)
    if (group === undefined) this.#addGroup(distinct, call)
    else {
      group.asked += 1
      group.waiting.push(call)
    }
    this.#size += 1
  }

  /**
   * Gives every call its decision. In a group, the first calls get what was
   * granted.
   *
   * @param nowMs the store's time now, later than in the reply by its travel
   * time
   */
  answer(reply: GrantReply, nowMs: number): void {
    for (const group of this.#groups) answerGroup(group, reply, nowMs)
  }

  /** Every call, for a decision without the store. */
  *calls(): Iterable<WaitingCall> {
    for (const { waiting } of this.#groups) yield* waiting
  }

  /** Ignores what the reply says about the bucket, if that has a lower epoch. */
  forget(bucket: string, epoch: number): void {
    const known = this.#bucketsByName.get(bucket)
    if (known !== undefined) known.epochLeast = epoch
  }

  #addGroup(distinct: readonly BucketLimit[], call: WaitingCall): void {
    const limits = distinct.map((limit) => ({ index: this.#indexOf(limit), calls: limit.calls }))
    const group = { asked: 1, limits, distinct, waiting: [call] }
    this.#groups.push(group)
    this.#groupsByLimits.set(distinct, group)
  }

  #indexOf({ bucket, windowLength }: BucketLimit): number {
    const known = this.#bucketsByName.get(bucket)
    if (known !== undefined) return known.index
    const index = this.#buckets.length
    const added = { bucket, windowLength, index, epochLeast: 0 }
    this.#buckets.push(added)
    this.#bucketsByName.set(bucket, added)
    return index
  }
}

/**
 * Worked example: the store grants 3 of 5 calls on a bucket with limit 100, and
 * the count is then 100. The first call was the 98th (100 − 3 + 1) and has 2
 * calls left, then 1, then 0; the last two are refused. Across all processes
 * each remaining value is given once.
 */
function answerGroup(group: Group, reply: GrantReply, nowMs: number): void {
  const { waiting } = group
  const granted = reply.nextGroup()
  const states = group.limits.map(({ index }) => ({
    after: reply.nextCount(),
    resetMs: Math.max(1, Math.ceil(reply.endsAtOf(index) - nowMs)),
    window: reply.windowOf(index),
  }))
  for (let place = 0; place < waiting.length; place += 1) {
    const call = waiting[place]
    if (call === undefined) continue
    const isAdmitted = place < granted
    /** Calls of the group that got a number after this one. */
    const later = isAdmitted ? granted - place - 1 : 0
    const standings = call.limits.map(({ bucket, calls }, at) => {
      // Limits that share a bucket were merged into one, so positions differ.
      const index =
        call.limits.length === states.length
          ? at
          : group.distinct.findIndex((limit) => limit.bucket === bucket)
      const state = states[index]
      const count = (state?.after ?? 0) - later
      return standingOf(calls, count, isAdmitted, state?.resetMs, state?.window)
    })
    call.done(isAdmitted ? admission('admitted', standings) : refusal('refused', standings))
  }
}
