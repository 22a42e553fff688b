import { randomInt as secureRandomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../../platform/log/log.ts'
import type { RedisAddress } from '../../../platform/redis/redis-address.ts'
import { Roster } from '../../../platform/roster.ts'
import type { BucketWindow, Counter } from '../counter.ts'
import { StoreUnavailableError } from '../store-unavailable.ts'
import { windowEnd, windowWord } from '../window.ts'
import type { CallBatch } from './call-batch.ts'
import { createClusterServers } from './cluster/cluster-servers.ts'
import { type CounterObserver, noObserver } from './counter-observer.ts'
import { createCountingServer } from './counting-server.ts'
import { type BucketCount, grantCommand, grantScript, resetScript } from './grant-script.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createLocalShares } from './local-shares.ts'
import type { RedisUnsuitableError } from './redis-facts.ts'
import { createSeenCounts } from './seen-counts.ts'
import { type CountingServers, createOnlyServer, type ServersOptions } from './servers.ts'
import { createStoreClock } from './store-clock.ts'

export interface RedisCounterOptions {
  readonly address: RedisAddress
  /**
   * Maximum number of gateway processes that share the store, unless more are
   * seen. In an outage each may admit its part of what was left.
   */
  readonly processes: number
  /**
   * Whether this process admits calls and registers itself as one that does.
   * (Default: false, as in a process that only reads.)
   */
  readonly isAdmitting?: boolean
  /** Milliseconds since 1970, used only until the store has sent its own time. (Default: the machine's clock.) */
  readonly now?: () => number
  /** Monotonic milliseconds. (Default: those of the process.) */
  readonly monotonic?: () => number
  /** A random whole number from `least` up to but not including `above`. (Default: that of `node:crypto`.) */
  readonly randomInt?: (least: number, above: number) => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Accept a server that may evict counters. (Default: false.) */
  readonly isEvictionAllowed?: boolean
  /**
   * How long a call waits for the store before its outage policy decides. A
   * silence of this length is an outage. (Default: 250.)
   */
  readonly deadlineMs?: number
  /**
   * Milliseconds without grants after a loss of counters; longer until all
   * processes have pushed what they know. Must be equal in all processes.
   * (Default: 1000.)
   */
  readonly settleMs?: number
  readonly observer?: CounterObserver
}

/** The counter over Redis. */
export interface RedisCounter extends Counter {
  /**
   * Raises the counts that the store has to at least these, as after a loss.
   * Rejects with {@link StoreUnavailableError} when the store does not answer.
   */
  raise(counts: readonly (BucketWindow & BucketCount)[]): Promise<void>
}

/** How long an operator's request waits for a count. */
const operatorDeadlineMs = 1000

/** Interval at which past windows are dropped and an idle store is checked. */
const beatMs = 250

/** How long startup waits for the store, in addition to `settleMs`, before it continues without shared counts. */
const startMs = 1500

/**
 * Creates the counter of a process that shares a Redis with others: one server,
 * the primary that sentinels name, or a cluster.
 *
 * The calls of one event-loop turn become one script call (in a cluster one per
 * slot), sent when the turn has read all its sockets. No call waits for later
 * ones. If a bucket is known to be used up, its calls are refused without
 * asking. When the store does not reply in time, the outage policy decides.
 * What the store may have granted then is forfeited, so errors only ever admit
 * fewer calls.
 *
 * The server must permit EVALSHA, EVAL, GET, SET and TIME, and in a cluster
 * CLUSTER INFO, CLUSTER SLOTS and ASKING. INFO is needed to check version and
 * eviction, and to distinguish a restart from a broken connection. The heartbeat needs
 * ZADD, ZREM, ZREMRANGEBYSCORE, ZRANGE, DEL and PEXPIRE. A server without
 * counters may have lost them, so the first second on it is a settling one.
 *
 * Resolves when counts are shared. If the store is down, resolves once that is
 * known, and calls are decided locally until it returns.
 *
 * @throws {RedisUnsuitableError} when the server must not hold counters; the
 * message says what to change
 */
export async function createRedisCounter({
  address,
  processes: configured,
  isAdmitting = false,
  now = Date.now,
  monotonic = () => performance.now(),
  randomInt = secureRandomInt,
  log,
  isEvictionAllowed = false,
  deadlineMs = 250,
  settleMs = 1000,
  observer = noObserver,
}: RedisCounterOptions): Promise<RedisCounter> {
  const clock = createStoreClock({ now, monotonic })
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({
    division: {
      processes: () => heartbeat?.processes() ?? configured,
      place: (bucket) => heartbeat?.place(bucket),
      placesVersion: () => heartbeat?.placesVersion() ?? 0,
      isCutOff: () => heartbeat?.isCutOff() ?? false,
    },
    seen,
    clockOf: (bucket) => servers.clockOf(bucket),
    monotonic,
  })
  const started = Promise.withResolvers<void>()
  let isStarting = true
  /** Batches in flight, including those past their deadline. */
  const inFlight = new Roster<CallBatch>()

  const ends: ServersOptions = {
    openServer: (own) =>
      createCountingServer({
        seen,
        shares,
        monotonic,
        log,
        observer,
        inFlight,
        isEvictionAllowed,
        deadlineMs,
        settleMs,
        decideAlone,
        storeClock: clock,
        living: () => heartbeat?.living() ?? [],
        knowsOthers: () => heartbeat?.knowsOthers() ?? true,
        onUnsuitable(error: RedisUnsuitableError) {
          if (isStarting) started.reject(error)
          else log.error({ reason: error.message }, 'Redis is not used; calls are decided locally')
        },
        ...own,
      }),
    decideAlone,
    onUp() {
      heartbeat?.beat()
      started.resolve()
    },
    onDown() {
      // Whether this is an outage or counters were lost is then known before the next beat.
      heartbeat?.beat()
      started.resolve()
    },
  }
  const servers: CountingServers =
    address.topology === 'cluster'
      ? createClusterServers({ ...ends, address, clock, inFlight, monotonic, log, deadlineMs })
      : createOnlyServer({ ...ends, address })
  const heartbeat = isAdmitting
    ? createHeartbeat({
        configured,
        log,
        monotonic,
        randomInt,
        ask: servers.ask,
        onSeen: (seen) => observer.processes(seen, configured),
      })
    : undefined
  const beat = setInterval(() => {
    seen.drop()
    shares.drop()
    servers.beat()
  }, beatMs).unref()

  function decideAlone(batch: CallBatch): void {
    for (const { limits, onOutage, done } of batch.calls()) {
      done(seen.refuse(limits) ?? shares.decide(limits, onOutage))
    }
  }

  /** Makes an operator's request fail with the one error that callers expect. */
  async function orUnavailable<Reply>(reply: Promise<Reply>): Promise<Reply> {
    try {
      return await reply
    } catch (cause) {
      throw new StoreUnavailableError({ cause })
    }
  }

  const counter: RedisCounter = {
    grant(limits, onOutage, done) {
      const refused = seen.refuse(limits)
      if (refused !== undefined) {
        done(refused)
        return
      }
      if (!servers.add({ limits, onOutage, done })) done(shares.decide(limits, onOutage))
    },
    peek: (buckets) => orUnavailable(servers.peek(buckets, operatorDeadlineMs)),
    async reset({ bucket, windowLength }) {
      const { numbers, sentAt, receivedAt } = await orUnavailable(
        servers.ask({
          script: resetScript,
          keys: [bucket],
          args: (timeMs) => [windowWord(timeMs, windowLength)],
          deadlineMs: operatorDeadlineMs,
        }),
      )
      const [serverTimeMs = 0, window = 0, epoch = 0] = numbers
      shares.forget(bucket)
      // From now on late replies from the previous epoch are ignored.
      seen.learn({
        bucket,
        windowLength,
        window,
        epoch,
        count: 0,
        resetMs: windowEnd(window, windowLength) - serverTimeMs,
        sentAt,
        madeAt: clock.learn(serverTimeMs, sentAt, receivedAt),
      })
      return epoch
    },
    async raise(counts) {
      for (const { bucket, windowLength, window, epoch, count } of counts) {
        const floor = { window, epoch, count }
        const command = grantCommand({ buckets: [{ bucket, windowLength, floor }], groups: [] })
        await orUnavailable(
          servers.ask({ script: grantScript, ...command, deadlineMs: operatorDeadlineMs }),
        )
      }
    },
    forget(bucket, epoch = Number.POSITIVE_INFINITY) {
      seen.forget(bucket, epoch)
      shares.forget(bucket)
      // A reply from before the reset may still arrive and must not restore the old count.
      for (const sent of inFlight.all()) sent.forget(bucket, epoch)
    },
    isUp: servers.isUp,
    async close() {
      servers.endTurn()
      clearInterval(beat)
      await heartbeat?.close()
      // After the deadline every call in flight has a decision.
      if (inFlight.size > 0) await delay(deadlineMs)
      servers.close()
    },
  }

  const giveUp = setTimeout(started.resolve, startMs + settleMs)
  try {
    await started.promise
  } catch (error) {
    await counter.close()
    throw error
  } finally {
    isStarting = false
    clearTimeout(giveUp)
  }
  return counter
}
