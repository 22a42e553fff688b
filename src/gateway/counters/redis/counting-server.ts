import type { Logger } from '../../../platform/log.ts'
import type { SentinelRedis, SingleRedis } from '../../../platform/redis-address.ts'
import type { Roster } from '../../../platform/roster.ts'
import type { PeekedBucket } from '../counter.ts'
import { createBreaker } from './breaker.ts'
import type { CallBatch } from './call-batch.ts'
import { type BucketsOfServer, createCatchUp } from './catch-up.ts'
import { type Redirection, redirectionOf } from './cluster/redirection.ts'
import { createVerdict, type Verdict } from './cluster/verdict.ts'
import type { CounterObserver } from './counter-observer.ts'
import {
  type Addition,
  type GrantReply,
  grantCommand,
  grantScript,
  type MarkerPlace,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import {
  DeadlineMissedError,
  openRedisConnection,
  type RedisConnection,
  type ScriptReply,
} from './redis-connection.ts'
import type { RedisUnsuitableError } from './redis-facts.ts'
import type { SeenCounts } from './seen-counts.ts'
import { createSharedMode } from './shared-mode.ts'
import { createStoreClock, type StoreClock } from './store-clock.ts'

/** One Redis server, with all that this process knows about counting on it. */
export interface CountingServer {
  /** Whether this server decides the calls on its buckets. */
  isShared(): boolean
  /** For requests other than calls. */
  readonly connection: RedisConnection
  readonly clock: StoreClock
  /**
   * Sends each batch as one script call and answers its calls: with the
   * server's decision, or by their outage policy if the server did not reply in
   * time.
   */
  send(batches: readonly CallBatch[], sending?: Sending): void
  /** Records what a reply says about its buckets. */
  learn(buckets: readonly PeekedBucket[], reply: GrantReply, times: ScriptReply): void
  /** Tries now to return to shared counting, ahead of the next regular attempt. */
  tryNow(): void
  /** The server received slots whose counts are lost: see {@link SharedMode}. */
  lost(): void
  /** Checks the server when no call does. Called about four times a second. */
  beat(): void
  close(): void
}

/** How to resend a batch that did not run on the first server. */
export interface Sending {
  /** Monotonic milliseconds at which its calls are decided without the server. */
  readonly deadlineAt: number
  /** Number of times it was already redirected. */
  readonly redirections: number
  readonly isAsking?: boolean
}

export interface CountingServerOptions {
  readonly address: SingleRedis | SentinelRedis
  /** The server's name in the log; undefined when there is only one. */
  readonly node: string | undefined
  readonly buckets: BucketsOfServer
  readonly markerPlace: () => MarkerPlace | undefined
  readonly runIdOtherwise: string
  readonly isComplete: () => boolean
  readonly living: () => readonly number[]
  readonly seen: SeenCounts
  readonly shares: LocalShares
  /** Milliseconds since 1970, used until the server has sent its own time. */
  readonly now: () => number
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
  /** The batch did not run and must be sent elsewhere. It stays in flight. */
  onRedirected(batch: CallBatch, redirection: Redirection, sending: Sending): void
  onMisplaced(): void
  onShared(): void
  /** The server is unreachable. */
  onLost(): void
  onUnsuitable(error: RedisUnsuitableError): void
}

export function createCountingServer(options: CountingServerOptions): CountingServer {
  const { address, buckets, seen, shares, monotonic, log, observer, inFlight } = options
  const { deadlineMs, settleMs, decideAlone, onRedirected } = options
  const clock = createStoreClock({ now: options.now, monotonic })
  const breaker = createBreaker({ silenceMs: deadlineMs, monotonic })
  const connection = openRedisConnection({
    address,
    monotonic,
    onReady: () => shared.connected(),
    onLost(cause) {
      shared.disconnected(cause)
      options.onLost()
    },
  })
  const catchUp = createCatchUp({
    ...{ connection, buckets, seen, shares, settleMs },
    onHeard: () => shared.heard(),
    onCounts: learn,
  })
  const shared = createSharedMode({
    ...{ connection, breaker, catchUp, monotonic, log, deadlineMs },
    node: options.node,
    markerPlace: options.markerPlace,
    runIdOtherwise: options.runIdOtherwise,
    isComplete: options.isComplete,
    living: options.living,
    isEvictionAllowed: options.isEvictionAllowed,
    isCluster: buckets.areSlotted,
    onShared() {
      observer.switched('shared', 'recovered')
      options.onShared()
    },
    onAway(cause) {
      observer.switched('local', cause)
      // The process that replaced the marker may know of newly arrived slots. Floors follow the slot map, so refresh
      // it.
      if (cause === 'lost_counters') options.onMisplaced()
    },
    onMisplaced: options.onMisplaced,
    onUnsuitable: options.onUnsuitable,
  })

  function learn(
    told: readonly (PeekedBucket & { readonly isForgotten?: boolean })[],
    reply: GrantReply,
    { sentAt, receivedAt }: ScriptReply,
  ): void {
    const { serverTimeMs } = reply
    const madeAt = clock.learn(serverTimeMs, sentAt, receivedAt)
    for (const [index, { bucket, windowSeconds, isForgotten }] of told.entries()) {
      if (reply.isDamaged(index)) {
        log.warn({ bucket }, 'a counter held a malformed value and was replaced')
      }
      if (isForgotten) continue
      seen.learn({
        bucket,
        windowSeconds,
        window: reply.windowOf(index),
        epoch: reply.epochOf(index),
        count: reply.countOf(index),
        serverTimeMs,
        sentAt,
        madeAt,
      })
    }
  }

  /** @param verdict on a marker that the script call cannot contain; undefined when it contains the marker */
  function sendOne(sent: CallBatch, sending: Sending, verdict: Verdict | undefined): void {
    const additions: Addition[] = []
    const claims = sent.buckets.map(({ bucket, windowSeconds }) => {
      const addition = shares.takeAddition(bucket, windowSeconds)
      if (addition !== undefined) additions.push(addition)
      return { bucket, windowSeconds, floor: seen.find(bucket, windowSeconds), addition }
    })
    let isDecided = false

    function giveBack(): void {
      for (const addition of additions) shares.giveBack(addition)
    }

    function decideUnconfirmed(): void {
      isDecided = true
      giveBack()
      observer.forfeited(sent.size())
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
        buckets: claims,
        groups: sent.groups,
        marker: verdict === undefined ? { key: markerKey(), settleMs } : undefined,
      }),
      deadlineMs: sending.deadlineAt - monotonic(),
      isAsking: sending.isAsking === true,
      onReply(reply) {
        breaker.heard()
        observer.answered((reply.receivedAt - reply.sentAt) / 1000)
        const read = readGrantReply(reply.numbers, sent.buckets.length)
        if (verdict === undefined) {
          inFlight.delete(sent)
          shared.observe(read)
          accept(read, reply)
          return
        }
        verdict.wait({
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
        const redirection = buckets.areSlotted ? redirectionOf(error) : undefined
        if (!isDecided && redirection !== undefined) {
          isDecided = true
          giveBack()
          onRedirected(sent, redirection, sending)
          return
        }
        inFlight.delete(sent)
        if (isDecided) return
        breaker.failed()
        shared.failed(error)
        decideUnconfirmed()
      },
      onMissed() {
        breaker.failed()
        shared.failed(new DeadlineMissedError())
        decideUnconfirmed()
      },
    })
  }

  function markerKey(): string {
    const place = options.markerPlace()
    if (place === undefined)
      throw new Error('a server that holds every bucket has a place for its marker')
    return place.key
  }

  /** Reads the marker after the batches. Their replies count only if the counters were still there. */
  function lookAfter(sending: Sending, verdict: Verdict): void {
    const place = shared.place()
    // A node without slots so far is only asked because the slot's owner redirected here, so there is no marker to
    // check.
    if (place === undefined) {
      verdict.known(true)
      return
    }
    let isMissed = false
    function failed(cause: Error): void {
      breaker.failed()
      shared.failed(cause)
    }
    connection.read({
      key: place.key,
      deadlineMs: sending.deadlineAt - monotonic(),
      onReply: (value) => verdict.known(shared.observeMarker(value)),
      onError(cause) {
        const isRedirected = redirectionOf(cause) !== undefined
        // The marker's slot is moving. The server is alive, so no count was lost.
        if (isRedirected) options.onMisplaced()
        else if (!isMissed) failed(cause)
        verdict.known(isRedirected)
      },
      onMissed() {
        isMissed = true
        failed(new DeadlineMissedError())
        verdict.missed()
      },
    })
  }

  return {
    isShared: shared.isShared,
    connection,
    clock,
    send(batches, sending = { deadlineAt: monotonic() + deadlineMs, redirections: 0 }) {
      if (!buckets.areSlotted) {
        for (const batch of batches) sendOne(batch, sending, undefined)
        return
      }
      const verdict = createVerdict()
      for (const batch of batches) sendOne(batch, sending, verdict)
      lookAfter(sending, verdict)
    },
    learn,
    tryNow: shared.tryNow,
    lost: shared.lost,
    beat: shared.beat,
    close() {
      shared.close()
      connection.close()
    },
  }
}
