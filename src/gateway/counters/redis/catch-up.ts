import type { PeekedBucket } from '../counter.ts'
import {
  type BucketClaim,
  type GrantReply,
  grantCommand,
  grantScript,
  type MarkerClaim,
  type MarkerKnowledge,
  type MarkerPlace,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import type { Part } from './part.ts'
import type { RedisConnection, ScriptReply } from './redis-connection.ts'
import type { SeenCounts } from './seen-counts.ts'

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
  readonly part: Pick<Part, 'isOurs' | 'isElsewhere' | 'push'>
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
  const { connection, part, seen, shares, settleMs, onHeard, onCounts } = options

  async function send(claims: readonly BucketClaim[], marker: MarkerClaim | undefined) {
    const reply = await connection.ask({
      script: grantScript,
      ...grantCommand({ buckets: claims, groups: [], marker }),
      deadlineMs: pushPatienceMs,
    })
    onHeard()
    return { reply, read: readGrantReply(reply.numbers, claims.length) }
  }

  /** @returns whether the server took the whole part; false while its buckets move */
  async function pushPart(claims: readonly BucketClaim[], marker?: MarkerClaim): Promise<boolean> {
    try {
      const { read, reply } = await send(claims, marker)
      onCounts(claims, read, reply)
      if (read.isSettling) giveBack(claims)
      return true
    } catch (error) {
      // The server may have added it or not. Adding it twice admits fewer calls, never more.
      giveBack(claims)
      if (error instanceof Error && part.isElsewhere(error)) return false
      throw error
    }
  }

  function giveBack(claims: readonly BucketClaim[]): void {
    for (const { addition } of claims) if (addition !== undefined) shares.giveBack(addition)
  }

  function pushAll(
    place: MarkerPlace,
    claims: readonly BucketClaim[],
    marker: number | undefined,
  ): Promise<boolean> {
    if (part.push === undefined) return pushPart(claims, { key: place.key, settleMs })
    const readMarker = () => connection.get(place.key, pushPatienceMs)
    return part.push(claims, { marker, readMarker, pushPart, giveBack })
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
        if (part.isOurs(bucket)) floors.push({ bucket, windowSeconds, floor })
      }
      for (let at = 0; at < floors.length; at += pushMax) {
        await pushAll(place, floors.slice(at, at + pushMax), undefined)
        await probe(place, knowledge)
      }
    },
    async pushMost(place, marker) {
      for (;;) {
        const claims = shares.takeClaims(pushMax, part.isOurs)
        if (claims.length < pushMax) return claims
        // Additions to moving buckets count as unsent again and go out with the next call.
        if (!(await pushAll(place, claims, marker))) return []
      }
    },
    async push(place, claims, marker) {
      if (claims.length > 0) await pushAll(place, claims, marker)
    },
  }
}
