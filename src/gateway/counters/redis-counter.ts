import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../platform/log.ts'
import type { RedisAddress } from '../../platform/redis-address.ts'
import { Roster } from '../../platform/roster.ts'
import { type CallBatch, createCallBatch } from './call-batch.ts'
import { createClusterServers } from './cluster-servers.ts'
import type { BucketState, Counter, PeekedBucket } from './counter.ts'
import { type CounterObserver, noObserver } from './counter-observer.ts'
import { type CountingServer, createCountingServer } from './counting-server.ts'
import type { CountingServers, OwnOptions } from './counting-servers.ts'
import {
  grantCommand,
  grantScript,
  readGrantReply,
  resetScript,
  type Script,
} from './grant-script.ts'
import { createHeartbeat, processesKey } from './heartbeat.ts'
import { createLocalShares } from './local-shares.ts'
import { createOnlyServer } from './only-server.ts'
import { redirectionOf } from './redirection.ts'
import type { ScriptCall, ScriptReply } from './redis-connection.ts'
import type { RedisUnsuitableError } from './redis-facts.ts'
import { createSeenCounts } from './seen-counts.ts'
import { createStoreClock } from './store-clock.ts'
import { StoreUnavailableError } from './store-unavailable.ts'
import { windowEnd } from './window.ts'

export interface RedisCounterOptions {
  readonly address: RedisAddress
  /** How many gateway processes share it at most, unless more are seen; in an outage each may admit that part of what was left. */
  readonly processes: number
  /** Whether this process is one of them, and tells so. (Default: false, as for who only asks.) */
  readonly isAdmitting?: boolean
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
  readonly observer?: CounterObserver
}

/** An operator waits so long for a count. */
const operatorDeadlineMs = 1000

/** How often what is over is dropped and an idle store looked at. */
const beatMs = 250

/** A start waits so long for the store, and for counters that settle; then it goes on without. */
const startMs = 1500

/**
 * Creates the counter of a process that shares a Redis with others: one server,
 * the primary that sentinels name, or a cluster.
 *
 * Calls of one event-loop turn become one script call, in a cluster one for
 * each slot, sent when the turn has
 * read all its sockets; nothing waits for company. A call whose bucket is known
 * to be used up is refused without asking. A call the store does not answer in
 * time is decided by its outage policy; what the store may have granted it is
 * forfeited, so errors only ever admit fewer.
 *
 * The server must permit EVALSHA, EVAL, GET, SET and TIME; in a cluster CLUSTER
 * INFO, CLUSTER SLOTS and ASKING; INFO too if versions and eviction are to be
 * checked and a restart is to be told from a broken connection; ZADD, ZREM,
 * ZREMRANGEBYSCORE, ZCARD, DEL and PEXPIRE if processes are to be told of. Of a server that holds no counters yet it is
 * not known whether it lost them: the first second on it is a settling one.
 *
 * Resolves when counts are shared, or, with the store down, when that is known:
 * then calls are decided locally until it comes.
 *
 * @throws {RedisUnsuitableError} when the server must not hold counters; the message says what to change
 */
export async function createRedisCounter({
  address,
  processes: configured,
  isAdmitting = false,
  now = Date.now,
  monotonic = () => performance.now(),
  log,
  evictionAllowed: isEvictionAllowed = false,
  deadlineMs = 50,
  settleMs = 1000,
  observer = noObserver,
}: RedisCounterOptions): Promise<Counter> {
  const clock = createStoreClock({ now, monotonic })
  const seen = createSeenCounts({ monotonic })
  const shares = createLocalShares({
    processes: () => heartbeat?.processes() ?? configured,
    seen,
    clockOf: (bucket) => servers.clockOf(bucket),
    monotonic,
  })
  const started = Promise.withResolvers<void>()
  /** Sent and not come to their end, past their deadline too. */
  const inFlight = new Roster<CallBatch>()
  /** The calls of this turn of the event loop, by slot. */
  let turn = new Map<number, CallBatch>()

  function onUp(): void {
    heartbeat?.beat()
    started.resolve()
  }

  function openServer(own: OwnOptions): CountingServer {
    return createCountingServer({
      ...{ seen, shares, monotonic, log, observer, inFlight },
      ...{ isEvictionAllowed, deadlineMs, settleMs, decideAlone },
      now: clock.now,
      onUnsuitable(error: RedisUnsuitableError) {
        // Reached only after the start, when the server came later or was changed.
        log.error({ reason: error.message }, 'Redis is not used; calls are decided locally')
        started.reject(error)
      },
      ...own,
    })
  }

  const ends = { decideAlone, openServer, onUp, onDown: started.resolve }
  const servers: CountingServers =
    address.topology === 'cluster'
      ? createClusterServers({ ...ends, address, clock, inFlight, monotonic, log })
      : createOnlyServer({ ...ends, address })
  const heartbeat = isAdmitting
    ? createHeartbeat({
        ...{ configured, log },
        ask: (command) => servers.ask(servers.slotOf(processesKey), command),
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

  function endTurn(): void {
    if (turn.size === 0) return
    const ended = turn
    turn = new Map()
    servers.send(ended)
  }

  /** For operators; asks also while calls are decided locally. */
  async function ask(slot: number, script: Script, command: Pick<ScriptCall, 'keys' | 'args'>) {
    try {
      return await servers.ask(slot, { script, ...command, deadlineMs: operatorDeadlineMs })
    } catch (error) {
      throw new StoreUnavailableError({ cause: error })
    }
  }

  async function peekInSlot(
    slot: number,
    buckets: readonly PeekedBucket[],
  ): Promise<BucketState[]> {
    const command = grantCommand({ buckets: buckets.map(placeOf), groups: [] })
    let reply: ScriptReply
    try {
      reply = await ask(slot, grantScript, command)
    } catch (error) {
      const isApart =
        error instanceof StoreUnavailableError &&
        error.cause instanceof Error &&
        redirectionOf(error.cause) !== undefined
      if (!isApart || buckets.length === 1) throw error
      // The slot is on the move, and each of them is found by itself.
      return (await Promise.all(buckets.map((bucket) => peekInSlot(slot, [bucket])))).flat()
    }
    const read = readGrantReply(reply.numbers, buckets.length)
    return buckets.map(({ bucket, windowSeconds }, index) => ({
      bucket,
      count: read.countOf(index),
      resetMs: windowEnd(read.windowOf(index), windowSeconds) - read.serverTimeMs,
    }))
  }

  const counter: Counter = {
    grant(limits, onOutage, done) {
      const refused = seen.refuse(limits)
      if (refused !== undefined) {
        done(refused)
        return
      }
      // All buckets of a call are of one application, and so of one slot.
      const slot = servers.slotOf(limits[0]?.bucket ?? '')
      if (servers.serverOf(slot)?.isShared() !== true) {
        done(shares.decide(limits, onOutage))
        return
      }
      let batch = turn.get(slot)
      if (batch === undefined) {
        // After the poll phase of this turn, in which all its calls arrive, and before the loop may sleep.
        if (turn.size === 0) setImmediate(endTurn)
        batch = createCallBatch()
        turn.set(slot, batch)
      }
      batch.add({ limits, onOutage, done })
    },
    async peek(buckets) {
      const slots = Map.groupBy(buckets, ({ bucket }) => servers.slotOf(bucket))
      const states = await Promise.all([...slots].map(([slot, own]) => peekInSlot(slot, own)))
      const byName = new Map(states.flat().map((state) => [state.bucket, state]))
      return buckets.flatMap(({ bucket }) => byName.get(bucket) ?? [])
    },
    async reset({ bucket, windowSeconds }) {
      const { numbers, sentAt, receivedAt } = await ask(servers.slotOf(bucket), resetScript, {
        keys: [bucket],
        args: [windowSeconds * 1000],
      })
      const [serverTimeMs = 0, window = 0, epoch = 0] = numbers
      shares.forget(bucket)
      // From now on what still comes in of the epoch before is ignored.
      seen.learn({
        ...{ bucket, windowSeconds, window, epoch, count: 0 },
        ...{ serverTimeMs, sentAt, madeAt: receivedAt },
      })
    },
    forget(bucket) {
      seen.forget(bucket)
      shares.forget(bucket)
      // A reply from before the reset may be on its way; it must not bring the old count back.
      for (const sent of inFlight.all()) sent.forget(bucket)
    },
    isUp: servers.isUp,
    async close() {
      endTurn()
      clearInterval(beat)
      await heartbeat?.close()
      // By then every call on its way is decided, one way or the other.
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
    clearTimeout(giveUp)
  }
  return counter
}

function placeOf({ bucket, windowSeconds }: PeekedBucket): PeekedBucket {
  return { bucket, windowSeconds }
}
