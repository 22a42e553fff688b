import type { BucketWindow } from '../counter.ts'
import {
  type AskedBucket,
  type GrantReply,
  grantCommand,
  grantScript,
  type MarkerCheck,
  type MarkerKnowledge,
  type MarkerPlace,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import type { Part } from './part.ts'
import type { RedisConnection, ScriptReply } from './redis-connection.ts'
import type { SeenCounts } from './seen-counts.ts'
import type { StoreClock } from './store-clock.ts'

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
  pushMost(place: MarkerPlace, marker: number): Promise<readonly AskedBucket[]>
  /** Rejects when the server did not reply in time or has lost its counters. Its additions then count as unsent again. */
  push(place: MarkerPlace, asked: readonly AskedBucket[], marker?: number): Promise<void>
}

export interface CatchUpOptions {
  readonly connection: RedisConnection
  readonly part: Pick<Part, 'isOurs' | 'ownBuckets' | 'isElsewhere' | 'push'>
  readonly seen: SeenCounts
  readonly shares: LocalShares
  /** Learns the server's time from each probe, so that it is known before the first call. */
  readonly clock: Pick<StoreClock, 'learn'>
  readonly settleMs: number
  /** The server replied. */
  onHeard(): void
  /** The server's counts for the pushed buckets. */
  onCounts(buckets: readonly BucketWindow[], reply: GrantReply, times: ScriptReply): void
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
  const { connection, part, seen, shares, clock, settleMs, onHeard, onCounts } = options

  async function send(asked: readonly AskedBucket[], marker: MarkerCheck | undefined) {
    const reply = await connection.ask({
      script: grantScript,
      ...grantCommand({ buckets: asked, groups: [], marker }),
      deadlineMs: pushPatienceMs,
    })
    onHeard()
    return { reply, read: readGrantReply(reply.numbers, asked) }
  }

  /** @returns whether the server took the whole part; false while its buckets move */
  async function pushPart(asked: readonly AskedBucket[], marker?: MarkerCheck): Promise<boolean> {
    try {
      const { read, reply } = await send(asked, marker)
      onCounts(asked, read, reply)
      if (read.isSettling) giveBack(asked)
      return true
    } catch (error) {
      // The server may have added it or not. Adding it twice admits fewer calls, never more.
      giveBack(asked)
      if (error instanceof Error && part.isElsewhere(error)) return false
      throw error
    }
  }

  function giveBack(asked: readonly AskedBucket[]): void {
    for (const { addition } of asked) if (addition !== undefined) shares.giveBack(addition)
  }

  function pushAll(
    place: MarkerPlace,
    asked: readonly AskedBucket[],
    marker: number | undefined,
  ): Promise<boolean> {
    if (part.push === undefined) return pushPart(asked, { key: place.key, settleMs })
    const readMarker = () => connection.get(place.key, pushPatienceMs)
    return part.push(asked, { marker, readMarker, pushPart, giveBack })
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
    const read = readGrantReply(reply.numbers, [probe])
    clock.learn(read.serverTimeMs, reply.sentAt, reply.receivedAt)
    return read
  }

  return {
    probe,
    async pushFloors(place, knowledge) {
      const known = [...seen.all()]
      if (known.length === 0) return
      const isOwn = await part.ownBuckets()
      const floors: AskedBucket[] = []
      for (const floor of known) {
        const { bucket, windowLength } = floor
        // What went elsewhere meanwhile is answered so. What is left out is lost.
        if (isOwn(bucket) || part.isOurs(bucket)) floors.push({ bucket, windowLength, floor })
      }
      for (let at = 0; at < floors.length; at += pushMax) {
        await pushAll(place, floors.slice(at, at + pushMax), undefined)
        await probe(place, knowledge)
      }
    },
    async pushMost(place, marker) {
      // Additions to moving buckets count as unsent again and go out with the next call.
      const moving = new Set<string>()
      for (;;) {
        const asked = shares.takeOwing(
          pushMax,
          (bucket) => part.isOurs(bucket) && !moving.has(bucket),
        )
        if (asked.length < pushMax) return asked
        if (await pushAll(place, asked, marker)) continue
        for (const { bucket } of asked) moving.add(bucket)
      }
    },
    async push(place, asked, marker) {
      if (asked.length > 0) await pushAll(place, asked, marker)
    },
  }
}
