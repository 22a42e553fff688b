import type { PeekedBucket } from '../counter.ts'
import { redirectionOf } from './cluster/redirection.ts'
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
import type { RedisConnection, ScriptReply } from './redis-connection.ts'
import type { SeenCounts } from './seen-counts.ts'

/** The buckets one server counts, and how to address them. */
export interface BucketsOfServer {
  /** A script call can only address buckets of one slot. */
  slotOf(bucket: string): number
  isOurs(bucket: string): boolean
  /** Whether this is a cluster. There the marker has a slot of its own, so it is read after the script call, on the same connection. */
  readonly areSlotted: boolean
}

/** Brings a server up to date with what this process knows. */
export interface CatchUp {
  /** Asks for a grant on the probe bucket and for the marker. */
  probe(place: MarkerPlace, knowledge: MarkerKnowledge): Promise<GrantReply>
  /**
   * Sends every count this process knows, used-up buckets included. While it
   * sends, it repeats that it is still alive, so that the others wait for it.
   */
  pushFloors(place: MarkerPlace, knowledge: MarkerKnowledge): Promise<void>
  /**
   * Sends the calls admitted without the server, except the last part.
   *
   * @param marker the calls count as unsent again if the server no longer has
   * this marker afterwards
   * @returns the last part, for {@link CatchUp.push}
   */
  pushMost(place: MarkerPlace, marker: number): Promise<readonly BucketClaim[]>
  /** Rejects when the server did not reply in time or has lost its counters. Its additions then count as unsent again. */
  push(place: MarkerPlace, claims: readonly BucketClaim[], marker?: number): Promise<void>
}

export interface CatchUpOptions {
  readonly connection: RedisConnection
  readonly buckets: BucketsOfServer
  readonly seen: SeenCounts
  readonly shares: LocalShares
  readonly settleMs: number
  /** The server replied. */
  onHeard(): void
  /** The server's counts for the pushed buckets. */
  onCounts(buckets: readonly PeekedBucket[], reply: GrantReply, times: ScriptReply): void
}

/** The server no longer has the marker it had a moment ago. */
export class CountersLostError extends Error {
  constructor() {
    super('the store has lost its counters')
    this.name = 'CountersLostError'
  }
}

/** Milliseconds to wait for requests that hold up no call; longer when all processes push many buckets at once. */
const patienceMs = 250
const pushPatienceMs = 1000

/** Buckets per push: a few milliseconds of the server's time. */
const pushMax = 500

export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { connection, buckets, seen, shares, settleMs, onHeard, onCounts } = options

  async function send(claims: readonly BucketClaim[], marker: MarkerClaim | undefined) {
    const reply = await connection.ask({
      script: grantScript,
      ...grantCommand({ buckets: claims, groups: [], marker }),
      deadlineMs: pushPatienceMs,
    })
    onHeard()
    return { reply, read: readGrantReply(reply.numbers, claims.length) }
  }

  /** @returns whether the server took the whole part; false while its slot moves */
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
      // The server may have added it or not. Adding it twice admits fewer calls, never more.
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
      marker === undefined
        ? undefined
        : await connection.get(place.key, pushPatienceMs).catch(toError)
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

  async function probe(
    { key, probe }: MarkerPlace,
    knowledge: MarkerKnowledge,
  ): Promise<GrantReply> {
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
  }

  return {
    probe,
    async pushFloors(place, knowledge) {
      const floors: BucketClaim[] = []
      for (const floor of seen.all()) {
        const { bucket, windowSeconds } = floor
        if (buckets.isOurs(bucket)) floors.push({ bucket, windowSeconds, floor })
      }
      for (let at = 0; at < floors.length; at += pushMax) {
        await pushAll(place, floors.slice(at, at + pushMax), undefined)
        await probe(place, knowledge)
      }
    },
    async pushMost(place, marker) {
      for (;;) {
        const claims = shares.takeClaims(pushMax, buckets.isOurs)
        if (claims.length < pushMax) return claims
        // Additions in a moving slot count as unsent again and go out with the next call.
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
