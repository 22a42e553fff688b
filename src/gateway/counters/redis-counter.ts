import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../platform/log.ts'
import type { RedisAddress } from '../../platform/redis-address.ts'
import { createBreaker } from './breaker.ts'
import { type CallBatch, createCallBatch, type WaitingCall } from './call-batch.ts'
import type { BucketState, Counter, PeekedBucket } from './counter.ts'
import {
  type Addition,
  type GrantReply,
  grantCommand,
  grantScript,
  readGrantReply,
  resetScript,
  type Script,
} from './grant-script.ts'
import { createLocalShares } from './local-shares.ts'
import {
  DeadlineMissedError,
  openRedisConnection,
  type ScriptCall,
  type ScriptReply,
} from './redis-connection.ts'
import { RedisUnsuitableError } from './redis-facts.ts'
import { createSeenCounts } from './seen-counts.ts'
import { createSharedMode } from './shared-mode.ts'
import { createStoreClock } from './store-clock.ts'
import { StoreUnavailableError } from './store-unavailable.ts'
import { windowEnd } from './window.ts'

export interface RedisCounterOptions {
  readonly address: RedisAddress
  /** How many gateway processes share it at most; in an outage each may admit that part of what was left. */
  readonly processes: number
  /** Milliseconds since 1970, used only until the store has told its own time. (Default: the clock of the machine.) */
  readonly now?: () => number
  /** Milliseconds since any moment, never stepping. (Default: that of the process.) */
  readonly monotonic?: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Accept a server that may evict counters. (Default: false.) */
  readonly evictionAllowed?: boolean
  /** How long a call waits for the store before its outage policy decides. (Default: 50.) */
  readonly deadlineMs?: number
  /** After counters were lost nothing is granted for so long, while all processes bring back what they know. The same in all of them. (Default: 1000.) */
  readonly settleMs?: number
  /** Seconds from asking the store to its reply, one for each request, for `gateway_limit_store_duration_seconds`. */
  readonly onStoreDuration?: (seconds: number) => void
}

/** An operator waits so long for a count. */
const operatorDeadlineMs = 1000

/** How often what is over is dropped and an idle store looked at. */
const beatMs = 250

/** A start waits so long for the store, and for counters that settle; then it goes on without. */
const startMs = 1500

/**
 * Creates the counter of a process that shares one Redis with others.
 *
 * Calls of one event-loop turn become one script call, sent when the turn has
 * read all its sockets; nothing waits for company. A call whose bucket is known
 * to be used up is refused without asking. A call the store does not answer in
 * time is decided by its outage policy; what the store may have granted it is
 * forfeited, so errors only ever admit fewer.
 *
 * The server must permit EVALSHA, EVAL, GET, SET and TIME; INFO too if versions
 * and eviction are to be checked. Of a server that holds no counters yet it is
 * not known whether it lost them: the first second on it is a settling one.
 *
 * Resolves when counts are shared, or, with the store down, when that is known:
 * then calls are decided locally until it comes.
 *
 * @throws {RedisUnsuitableError} when the server must not hold counters; the message says what to change
 */
export async function createRedisCounter({
  address,
  processes,
  now = Date.now,
  monotonic = () => performance.now(),
  log,
  evictionAllowed: isEvictionAllowed = false,
  deadlineMs = 50,
  settleMs = 1000,
  onStoreDuration,
}: RedisCounterOptions): Promise<Counter> {
  if (address.topology === 'cluster')
    throw new RedisUnsuitableError('Redis Cluster is not there yet')
  const clock = createStoreClock({ now, monotonic })
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({ processes, seen, clock, monotonic })
  const breaker = createBreaker({ monotonic })
  const started = Promise.withResolvers<void>()
  /** Sent and not come to their end, past their deadline too. */
  const inFlight = new Set<CallBatch>()
  let batch: CallBatch | undefined

  const connection = openRedisConnection({
    address,
    monotonic,
    onReady: () => shared.connected(),
    onLost(cause) {
      shared.disconnected(cause)
      started.resolve()
    },
  })
  const shared = createSharedMode({
    connection,
    breaker,
    seen,
    shares,
    monotonic,
    log,
    isEvictionAllowed,
    settleMs,
    onCounts: learn,
    onShared: started.resolve,
    onUnsuitable(error: RedisUnsuitableError) {
      // Reached only after the start, when the server came later or was changed.
      log.error({ reason: error.message }, 'Redis is not used; calls are decided locally')
      started.reject(error)
    },
  })
  const beat = setInterval(() => {
    seen.drop()
    shares.drop()
    shared.beat()
  }, beatMs).unref()

  function learn(
    buckets: readonly (PeekedBucket & { readonly isForgotten?: boolean })[],
    reply: GrantReply,
    { sentAt, receivedAt }: ScriptReply,
  ): void {
    const { serverTimeMs } = reply
    clock.learn(serverTimeMs, receivedAt)
    for (const [index, { bucket, windowSeconds, isForgotten }] of buckets.entries()) {
      if (reply.isDamaged(index)) {
        log.warn({ bucket }, 'a counter held something else and was replaced')
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
        receivedAt,
      })
    }
  }

  function decideAlone({ limits, onOutage, done }: WaitingCall): void {
    done(seen.refuse(limits) ?? shares.decide(limits, onOutage))
  }

  function endTurn(): void {
    if (batch === undefined) return
    const sent = batch
    batch = undefined
    // Left since the calls came.
    if (!shared.isShared()) for (const call of sent.calls()) decideAlone(call)
    else send(sent)
  }

  function send(sent: CallBatch): void {
    const { buckets, groups } = sent
    const additions: Addition[] = []
    const claims = buckets.map(({ bucket, windowSeconds }) => {
      const addition = shares.takeAddition(bucket, windowSeconds)
      if (addition !== undefined) additions.push(addition)
      return { bucket, windowSeconds, floor: seen.find(bucket, windowSeconds), addition }
    })
    let isDecided = false

    function decideUnconfirmed(): void {
      isDecided = true
      for (const addition of additions) shares.giveBack(addition)
      for (const call of sent.calls()) decideAlone(call)
    }

    inFlight.add(sent)
    breaker.sent()
    connection.run({
      script: grantScript,
      ...grantCommand({ buckets: claims, groups, settleMs }),
      deadlineMs,
      onReply(reply) {
        inFlight.delete(sent)
        breaker.heard()
        onStoreDuration?.((reply.receivedAt - reply.sentAt) / 1000)
        const read = readGrantReply(reply.numbers, buckets.length)
        shared.observe(read)
        learn(buckets, read, reply)
        if (isDecided) {
          if (!read.isSettling) for (const addition of additions) shares.confirmLate(addition)
        } else if (read.isSettling) decideUnconfirmed()
        else {
          breaker.succeeded()
          isDecided = true
          sent.answer(read)
        }
      },
      onError(error) {
        inFlight.delete(sent)
        breaker.heard()
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

  /** For operators; asks also while calls are decided locally. */
  async function ask(script: Script, command: Pick<ScriptCall, 'keys' | 'args'>) {
    try {
      return await connection.ask({ script, ...command, deadlineMs: operatorDeadlineMs })
    } catch (error) {
      throw new StoreUnavailableError({ cause: error })
    }
  }

  const counter: Counter = {
    grant(limits, onOutage, done) {
      const refused = seen.refuse(limits)
      if (refused !== undefined) done(refused)
      else if (!shared.isShared()) done(shares.decide(limits, onOutage))
      else {
        if (batch === undefined) {
          batch = createCallBatch()
          // After the poll phase of this turn, in which all its calls arrive, and before the loop may sleep.
          setImmediate(endTurn)
        }
        batch.add({ limits, onOutage, done })
      }
    },
    async peek(buckets) {
      const command = grantCommand({ buckets: buckets.map(placeOf), groups: [], settleMs })
      const reply = await ask(grantScript, command)
      const read = readGrantReply(reply.numbers, buckets.length)
      return buckets.map(
        ({ bucket, windowSeconds }, index): BucketState => ({
          bucket,
          count: read.countOf(index),
          resetMs: windowEnd(read.windowOf(index), windowSeconds) - read.serverTimeMs,
        }),
      )
    },
    async reset({ bucket, windowSeconds }) {
      const { numbers, sentAt, receivedAt } = await ask(resetScript, {
        keys: [bucket],
        args: [windowSeconds * 1000],
      })
      const [serverTimeMs = 0, window = 0, epoch = 0] = numbers
      shares.forget(bucket)
      // From now on what still comes in of the epoch before is ignored.
      seen.learn({
        ...{ bucket, windowSeconds, window, epoch, count: 0 },
        ...{ serverTimeMs, sentAt, receivedAt },
      })
    },
    forget(bucket) {
      seen.forget(bucket)
      shares.forget(bucket)
      // A reply from before the reset may be on its way; it must not bring the old count back.
      for (const sent of inFlight) sent.forget(bucket)
    },
    isUp: shared.isShared,
    async close() {
      endTurn()
      clearInterval(beat)
      // By then every call on its way is decided, one way or the other.
      if (inFlight.size > 0) await delay(deadlineMs)
      shared.close()
      connection.close()
    },
  }

  const giveUp = setTimeout(started.resolve, startMs + settleMs)
  try {
    await started.promise
  } catch (error) {
    await counter.close()
    throw error
  } finally {
    clearTimeout(giveUp)
  }
  return counter
}

function placeOf({ bucket, windowSeconds }: PeekedBucket): PeekedBucket {
  return { bucket, windowSeconds }
}
