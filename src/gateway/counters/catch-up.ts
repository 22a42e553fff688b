import type { PeekedBucket } from './counter.ts'
import {
  type BucketClaim,
  type GrantReply,
  grantCommand,
  grantScript,
  type MarkerClaim,
  type MarkerKnowledge,
  type MarkerPlace,
  markerOf,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import { redirectionOf } from './redirection.ts'
import type { RedisConnection, ScriptReply } from './redis-connection.ts'
import type { SeenCounts } from './seen-counts.ts'

/** Which buckets a server counts, and how they can be asked about. */
export interface BucketsOfServer {
  /** Buckets of one slot fit into one script call. */
  slotOf(bucket: string): number
  isOurs(bucket: string): boolean
  /** The slots of a cluster: then the marker fits into no script call on buckets, and is read after it on the same connection. */
  readonly areSlotted: boolean
}

/** Tells a server what this process knows and the server may not. */
export interface CatchUp {
  /** Asks for a grant on the probe, and what the marker is. */
  probe(place: MarkerPlace, knowledge: MarkerKnowledge): Promise<GrantReply>
  /** Tells every count known here, those that are used up included. */
  pushFloors(place: MarkerPlace): Promise<void>
  /**
   * Tells what was admitted without the server, all but the last part of it.
   *
   * @param marker the calls are owed again unless the server still has it afterwards
   * @returns the last part, for {@link CatchUp.push}
   */
  pushMost(place: MarkerPlace, marker: number): Promise<readonly BucketClaim[]>
  /** Rejects when the server did not answer in time or has lost its counters; what it had to add is owed again then. */
  push(place: MarkerPlace, claims: readonly BucketClaim[], marker?: number): Promise<void>
}

export interface CatchUpOptions {
  readonly connection: RedisConnection
  readonly buckets: BucketsOfServer
  readonly seen: SeenCounts
  readonly shares: LocalShares
  readonly settleMs: number
  /** Something was answered. */
  onHeard(): void
  /** What the server says of buckets that were pushed. */
  onCounts(buckets: readonly PeekedBucket[], reply: GrantReply, times: ScriptReply): void
}

/** The server has not the marker it had a moment ago. */
export class CountersLostError extends Error {
  constructor() {
    super('the store has lost its counters')
    this.name = 'CountersLostError'
  }
}

/** What no call waits for may take so long. */
const patienceMs = 250

/** Buckets in one push: some milliseconds of the server's time. */
const pushMax = 500

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { connection, buckets, seen, shares, settleMs, onHeard, onCounts } = options

  async function send(claims: readonly BucketClaim[], marker: MarkerClaim | undefined) {
    const reply = await connection.ask({
      script: grantScript,
      ...grantCommand({ buckets: claims, groups: [], marker }),
      deadlineMs: patienceMs,
    })
    onHeard()
    return { reply, read: readGrantReply(reply.numbers, claims.length) }
  }

  /** @returns whether everything of the part was told; not so when its slot is on the move */
  async function pushPart(
    claims: readonly BucketClaim[],
    marker: MarkerClaim | undefined,
  ): Promise<boolean> {
    try {
      const { read, reply } = await send(claims, marker)
      onCounts(claims, read, reply)
      if (read.isSettling) giveBack(claims)
      return true
    } catch (error) {
      // Whether it was added is not known; adding it twice errs to the safe side.
      giveBack(claims)
      if (error instanceof Error && redirectionOf(error) !== undefined) return false
      throw error
    }
  }

  function giveBack(claims: readonly BucketClaim[]): void {
    for (const { addition } of claims) if (addition !== undefined) shares.giveBack(addition)
  }

  async function pushAll(
    place: MarkerPlace,
    claims: readonly BucketClaim[],
    marker: number | undefined,
  ): Promise<boolean> {
    if (!buckets.areSlotted) return pushPart(claims, { key: place.key, settleMs })
    const parts = [...Map.groupBy(claims, ({ bucket }) => buckets.slotOf(bucket)).values()]
    const pushed = Promise.allSettled(parts.map((part) => pushPart(part, undefined)))
    const after =
      marker === undefined ? undefined : await connection.get(place.key, patienceMs).catch(toError)
    const outcomes = await pushed
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    if (after instanceof Error && redirectionOf(after) === undefined) {
      giveBack(claims)
      throw after
    }
    if (!(after instanceof Error) && marker !== undefined && markerOf(after) !== marker) {
      giveBack(claims)
      throw new CountersLostError()
    }
    return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value)
  }

  return {
    async probe({ key, probe }, knowledge) {
      const reply = await connection.ask({
        script: grantScript,
        ...grantCommand({
          buckets: [probe],
          groups: [{ asked: 1, limits: [{ index: 0, calls: Number.MAX_SAFE_INTEGER }] }],
          marker: { key, settleMs, knowledge },
        }),
        deadlineMs: patienceMs,
      })
      onHeard()
      return readGrantReply(reply.numbers, 1)
    },
    async pushFloors(place) {
      const floors: BucketClaim[] = []
      for (const floor of seen.all()) {
        const { bucket, windowSeconds } = floor
        if (buckets.isOurs(bucket)) floors.push({ bucket, windowSeconds, floor })
      }
      for (let at = 0; at < floors.length; at += pushMax) {
        await pushAll(place, floors.slice(at, at + pushMax), undefined)
      }
    },
    async pushMost(place, marker) {
      for (;;) {
        const claims = shares.takeClaims(pushMax, buckets.isOurs)
        if (claims.length < pushMax) return claims
        // What is on the move comes back; it goes with the next call.
        if (!(await pushAll(place, claims, marker))) return []
      }
    },
    async push(place, claims, marker) {
      if (claims.length > 0) await pushAll(place, claims, marker)
    },
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
