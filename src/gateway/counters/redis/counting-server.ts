// This folder counts in a Redis that processes share. Read `redis-counter.ts` first: it refuses what is known to be
// used up and gives the other calls to `servers.ts`, which collects them for one request. This file sends that request
// to a server, where `grant.lua` decides. `shared-mode.ts` says whether the server may decide, and `local-shares.ts`
// decides without it. `losses.ts` and `catch-up.ts` restore counts that a server has lost. What only a cluster needs is
// in `cluster/`.

import type { Logger } from '../../../platform/log/log.ts'
import type { SentinelRedis, SingleRedis } from '../../../platform/redis/redis-address.ts'
import type { Roster } from '../../../platform/roster.ts'
import type { BucketWindow } from '../counter.ts'
import { createBreaker } from './breaker.ts'
import type { CallBatch } from './call-batch.ts'
import { createCatchUp } from './catch-up.ts'
import type { CounterObserver } from './counter-observer.ts'
import {
  type Addition,
  type GrantReply,
  grantCommand,
  grantScript,
  type MarkerCheck,
  onlyPlace,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import type { Part } from './part.ts'
import {
  DeadlineMissedError,
  openRedisConnection,
  type RedisConnection,
  type ScriptCall,
  type ScriptReply,
} from './redis-connection.ts'
import type { RedisUnsuitableError } from './redis-facts.ts'
import type { SeenCounts } from './seen-counts.ts'
import { createSharedMode, type SharedMode } from './shared-mode.ts'
import { createStoreClock, type StoreClock } from './store-clock.ts'

/** One Redis server, with all that this process knows about counting on it. */
export interface CountingServer {
  /** Whether this server decides the calls on its buckets. */
  decidesCalls(): boolean
  /** For requests other than calls. */
  readonly connection: RedisConnection
  readonly clock: StoreClock
  /**
   * Sends the batch as one script call and answers its calls: with the server's
   * decision, or by their outage policy if the server did not reply in time.
   */
  send(batch: CallBatch, sending?: Sending): void
  /** Handles an error or a missed deadline of a request that calls wait for. */
  failed(error: Error): void
  /** What decides whether it is shared. */
  readonly mode: Pick<
    SharedMode,
    'tryNow' | 'lost' | 'inherited' | 'observeMarker' | 'place' | 'beat'
  >
  close(): void
}

/** How a batch is sent, and when its reply counts. */
export interface Sending {
  /** Milliseconds until its calls are decided without the server. */
  readonly deadlineMs: () => number
  /** Checks the marker in the script call itself; undefined if the call cannot contain the check. */
  readonly marker: MarkerCheck | undefined
  /** A command that must run directly before the script. */
  readonly preceding: string | undefined
  /** Reports to the reply whether the counters existed, at once or as soon as that is known. */
  confirm(read: GrantReply, reply: UnconfirmedReply): void
  /** See {@link ScriptCall.onSentAgain}. */
  readonly onSentAgain: (() => void) | undefined
  /**
   * Sends the batch elsewhere after an error that means that it did not run; it
   * stays in flight. Undefined after any other error.
   */
  resend(batch: CallBatch, error: Error): (() => void) | undefined
}

/** A reply that waits to be confirmed. */
export interface UnconfirmedReply {
  /**
   * @param isComplete whether the counters were there, so that the reply can be
   * relied upon. Called once, perhaps synchronously.
   */
  onKnown(isComplete: boolean): void
  /** The calls' deadline passed. Called before `onKnown`, if at all; perhaps synchronously. */
  onMissed(): void
}

export interface CountingServerOptions {
  readonly address: SingleRedis | SentinelRedis
  readonly part: Part
  readonly living: () => readonly number[]
  readonly knowsOthers: () => boolean
  readonly seen: SeenCounts
  readonly shares: LocalShares
  /** Clock of the store as a whole, which learns from every server. This server uses it until it has sent its own time. */
  readonly storeClock: StoreClock
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly isEvictionAllowed: boolean
  readonly deadlineMs: number
  readonly settleMs: number
  readonly observer: CounterObserver
  /** Batches in flight, including those past their deadline. */
  readonly inFlight: Roster<CallBatch>
  /** Decides the calls without the server. */
  decideAlone(batch: CallBatch): void
  onShared(): void
  /** The server is unreachable. */
  onLost(): void
  onUnsuitable(error: RedisUnsuitableError): void
}

export function createCountingServer(options: CountingServerOptions): CountingServer {
  const { address, part, seen, shares, monotonic, log, observer, inFlight } = options
  const { deadlineMs, settleMs, decideAlone, storeClock } = options
  const own = createStoreClock({ now: storeClock.now, latest: storeClock.latest, monotonic })
  const clock: StoreClock = {
    now: own.now,
    latest: own.latest,
    // Every server also gives the time of the store.
    hasReplied: storeClock.hasReplied,
    learn(...told) {
      storeClock.learn(...told)
      return own.learn(...told)
    },
  }
  const breaker = createBreaker({ silenceMs: deadlineMs, monotonic })
  const connection = openRedisConnection({
    address,
    monotonic,
    clock,
    onReady: () => shared.connected(),
    onLost(cause) {
      shared.disconnected(cause)
      options.onLost()
    },
  })
  const catchUp = createCatchUp({
    connection,
    part,
    seen,
    shares,
    clock,
    settleMs,
    onHeard: () => shared.heard(),
    onCounts: learn,
  })
  const shared = createSharedMode({
    ...options,
    connection,
    breaker,
    catchUp,
    onShared() {
      observer.switched('shared', 'recovered')
      options.onShared()
    },
    onAway(cause) {
      observer.switched('local', cause)
      // The process that replaced the marker may know of newly arrived buckets.
      if (cause === 'lost_counters') part.onMisplaced()
    },
  })

  function learn(
    told: readonly (BucketWindow & { readonly epochLeast?: number })[],
    reply: GrantReply,
    { sentAt, receivedAt }: ScriptReply,
  ): void {
    const { serverTimeMs } = reply
    const madeAt = clock.learn(serverTimeMs, sentAt, receivedAt)
    for (const [index, { bucket, windowLength, epochLeast = 0 }] of told.entries()) {
      if (reply.isDamaged(index)) {
        log.warn({ bucket }, 'a counter held a malformed value and was replaced')
      }
      if (reply.epochOf(index) < epochLeast) continue
      seen.learn({
        bucket,
        windowLength,
        window: reply.windowOf(index),
        epoch: reply.epochOf(index),
        count: reply.countOf(index),
        resetMs: reply.endsAtOf(index) - serverTimeMs,
        sentAt,
        madeAt,
      })
    }
  }

  /** One script call, which also checks the marker. */
  const plain: Sending = {
    deadlineMs: () => deadlineMs,
    marker: { key: onlyPlace.key, settleMs },
    preceding: undefined,
    onSentAgain: undefined,
    confirm(read, reply) {
      shared.observe(read)
      reply.onKnown(true)
    },
    resend: () => undefined,
  }

  function send(sent: CallBatch, sending: Sending = plain): void {
    const additions: Addition[] = []
    const asked = sent.buckets.map(({ bucket, windowLength }) => {
      const addition = shares.takeAddition(bucket, windowLength)
      if (addition !== undefined) additions.push(addition)
      return { bucket, windowLength, floor: seen.find(bucket, windowLength), addition }
    })
    let isDecided = false

    function giveBack(): void {
      for (const addition of additions) shares.giveBack(addition)
    }

    function decideUnconfirmed(): void {
      isDecided = true
      giveBack()
      observer.forfeited(sent.size)
      decideAlone(sent)
    }

    function accept(read: GrantReply, reply: ScriptReply): void {
      learn(sent.buckets, read, reply)
      if (isDecided) {
        if (!read.isSettling) for (const addition of additions) shares.confirmLate(addition)
      } else if (read.isSettling) decideUnconfirmed()
      else {
        breaker.succeeded()
        isDecided = true
        sent.answer(read, clock.now())
      }
    }

    inFlight.add(sent)
    breaker.sent()
    connection.run({
      script: grantScript,
      ...grantCommand({
        buckets: asked,
        groups: sent.groups,
        marker: sending.marker,
      }),
      deadlineMs: sending.deadlineMs(),
      preceding: sending.preceding,
      onSentAgain: sending.onSentAgain,
      onReply(reply) {
        breaker.heard()
        observer.answered((reply.receivedAt - reply.sentAt) / 1000)
        const read = readGrantReply(reply.numbers, sent.buckets)
        sending.confirm(read, {
          onKnown(isComplete) {
            inFlight.delete(sent)
            if (isComplete) accept(read, reply)
            else if (!isDecided) decideUnconfirmed()
          },
          onMissed() {
            if (!isDecided) decideUnconfirmed()
          },
        })
      },
      onError(error) {
        breaker.heard()
        const resend = isDecided ? undefined : sending.resend(sent, error)
        if (resend !== undefined) {
          isDecided = true
          giveBack()
          resend()
          return
        }
        inFlight.delete(sent)
        if (isDecided) return
        failed(error)
        decideUnconfirmed()
      },
      onMissed() {
        failed(new DeadlineMissedError())
        decideUnconfirmed()
      },
    })
  }

  function failed(error: Error): void {
    breaker.failed()
    shared.failed(error)
  }

  return {
    decidesCalls: shared.decidesCalls,
    connection,
    clock,
    send,
    failed,
    mode: shared,
    close() {
      shared.close()
      connection.close()
    },
  }
}
