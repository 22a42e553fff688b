import type { Logger } from '../../platform/log.ts'
import type { Breaker } from './breaker.ts'
import type { PeekedBucket } from './counter.ts'
import { startDeadline } from './deadline.ts'
import {
  type BucketClaim,
  type GrantReply,
  type GrantRequest,
  grantCommand,
  grantScript,
  markerKey,
  probeBucket,
  readGrantReply,
} from './grant-script.ts'
import type { LocalShares } from './local-shares.ts'
import { DeadlineMissedError, type RedisConnection, type ScriptReply } from './redis-connection.ts'
import { checkRedis, RedisUnsuitableError } from './redis-facts.ts'
import type { SeenCounts } from './seen-counts.ts'

/**
 * Whether calls are decided by the store that all processes share.
 *
 *     away ── connected, suitable, probe granted, everything pushed, settled ──▶ shared
 *     shared ── connection lost, breaker open, counters lost, push failed ─────▶ away
 *
 * Away, every 100 ms and upon a new connection, an attempt is made:
 * 1. INFO, once for each connection: may counters be kept there, and which run
 *    of which server is it?
 * 2. Probe: a grant on a bucket of its own. PING would answer from a replica or
 *    without memory.
 *    With it the marker is looked at. Another run than the one that wrote it is
 *    a restart or a failover, and neither kept everything for sure; nor did a
 *    server with a marker from before another one: a demoted primary that became
 *    the primary again before it followed anybody.
 * 3. Counters were lost when the marker differs from the one known here: every
 *    floor is pushed, used-up buckets included, so that no process is granted
 *    from a forgotten counter.
 * 4. For a second after a loss the script grants nothing to anybody and adds
 *    nothing, so that all processes have done 3 before the first grant.
 * 5. What was admitted without the store is pushed.
 */
export interface SharedMode {
  isShared(): boolean
  /** Learns from any reply of the grant script, before its calls are answered. */
  observe(reply: GrantReply): void
  /** Weighs an error or a missed deadline. */
  failed(error: Error): void
  /** The connection is ready. */
  connected(): void
  /** The connection ended or could not be made. */
  disconnected(cause: Error | undefined): void
  /** Looks whether the counters are still there when no call has asked lately. Called about twice a second. */
  beat(): void
  close(): void
}

export interface SharedModeOptions {
  readonly connection: RedisConnection
  readonly breaker: Breaker
  readonly seen: SeenCounts
  readonly shares: LocalShares
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly isEvictionAllowed: boolean
  readonly settleMs: number
  /** What the store says of buckets that were pushed. */
  onCounts(buckets: readonly PeekedBucket[], reply: GrantReply, times: ScriptReply): void
  /** Counts are shared: for the first time, or again. */
  onShared(): void
  /** The server must not hold counters. Calls go on without it. */
  onUnsuitable(error: RedisUnsuitableError): void
}

/** Between two attempts to come back. */
const attemptMs = 100

/** What no call waits for may take so long. */
const patienceMs = 250

/** Buckets in one push: some milliseconds of the server's time. */
const pushMax = 500

/** Silence after which the marker is looked at; well below the second in which nothing is granted after a loss. */
const idleMs = 400

/** Silence for so long is an outage; see breaker.ts. */
const lookDeadlineMs = 100

/** Between two looks at a server that must not hold counters. */
const unsuitableMs = 5000

/** Between two lines of the log about a store that stays away for changing reasons. */
const logMs = 10_000

export function createSharedMode({
  connection,
  breaker,
  seen,
  shares,
  monotonic,
  log,
  isEvictionAllowed,
  settleMs,
  onCounts,
  onShared,
  onUnsuitable,
}: SharedModeOptions): SharedMode {
  let isShared = false
  let isTrying = false
  let isClosed = false
  /** INFO was asked on this connection. */
  let isExamined = false
  /** Of the server of this connection, empty when INFO does not tell. */
  let runId = ''
  /** The loss of counters this process has answered with its floors. */
  let marker: number | undefined
  /** Losses answered before that one. */
  const formerMarkers = new Set<number>()
  let heardAt = Number.NEGATIVE_INFINITY
  let reasonLogged = ''
  let loggedAt = Number.NEGATIVE_INFINITY
  let restUntil = Number.NEGATIVE_INFINITY
  let isSilenceWatched = false
  const timer = setInterval(() => void attempt(), attemptMs).unref()

  function leave(reason: string): void {
    if (isClosed) return
    const at = monotonic()
    if (isShared || (reason !== reasonLogged && at - loggedAt >= logMs)) {
      reasonLogged = reason
      loggedAt = at
      // Never the error itself: ioredis hangs the command on it, and that of a failed sign-in is the password.
      log.warn({ reason }, 'counters are not shared; calls are decided locally')
    }
    isShared = false
  }

  function enter(): void {
    isShared = true
    breaker.reset()
    log.info('counters are shared')
    onShared()
  }

  async function send(request: Omit<GrantRequest, 'settleMs' | 'runId'>) {
    const reply = await connection.ask({
      script: grantScript,
      ...grantCommand({ ...request, settleMs, runId }),
      deadlineMs: patienceMs,
    })
    const read = readGrantReply(reply.numbers, request.buckets.length)
    heardAt = monotonic()
    return { read, reply }
  }

  async function askProbe(staleMarker?: number): Promise<GrantReply> {
    const { read } = await send({
      buckets: [probeBucket],
      groups: [{ asked: 1, limits: [{ index: 0, calls: Number.MAX_SAFE_INTEGER }] }],
      staleMarker,
    })
    return read
  }

  async function push(claims: readonly BucketClaim[]): Promise<void> {
    try {
      const { read, reply } = await send({ buckets: claims, groups: [] })
      onCounts(claims, read, reply)
      if (read.isSettling) giveBack(claims)
    } catch (error) {
      // Whether it was added is not known; adding it twice errs to the safe side.
      giveBack(claims)
      throw error
    }
  }

  function giveBack(claims: readonly BucketClaim[]): void {
    for (const { addition } of claims) if (addition !== undefined) shares.giveBack(addition)
  }

  async function pushFloors(): Promise<void> {
    const floors = [...seen.all()]
    for (let at = 0; at < floors.length; at += pushMax) {
      const part = floors.slice(at, at + pushMax)
      await push(part.map((floor) => ({ ...placeOf(floor), floor })))
    }
  }

  /** Some servers keep INFO from their users; counting does not depend on it. */
  async function infoIfPermitted(): Promise<ReadonlyMap<string, string>> {
    try {
      return await connection.info(patienceMs)
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('NOPERM')) return new Map()
      throw error
    }
  }

  async function examine(): Promise<void> {
    const info = await infoIfPermitted()
    checkRedis(info, { isEvictionAllowed })
    runId = info.get('run_id') ?? ''
    isExamined = true
  }

  async function attempt(): Promise<void> {
    if (isShared || isTrying || isClosed || !connection.isReady() || monotonic() < restUntil) return
    isTrying = true
    try {
      if (!isExamined) await examine()
      let probe = await askProbe()
      if (formerMarkers.has(probe.marker)) probe = await askProbe(probe.marker)
      if (probe.marker !== marker) {
        await pushFloors()
        if (marker !== undefined) formerMarkers.add(marker)
        marker = probe.marker
      }
      if (probe.isSettling) return
      let claims = shares.takeClaims(pushMax)
      while (claims.length === pushMax) {
        await push(claims)
        claims = shares.takeClaims(pushMax)
      }
      // The rest and the next calls use one connection, on which Redis keeps their order: it is pushed before they ask.
      const rest = claims.length === 0 ? undefined : push(claims)
      enter()
      await rest
    } catch (error) {
      failedAttempt(error instanceof Error ? error : new Error(String(error)))
    } finally {
      isTrying = false
    }
  }

  /** One missed deadline may be the beginning of a silence that no later call reports. */
  function watchSilence(): void {
    const leftMs = breaker.silenceLeftMs()
    if (isSilenceWatched || leftMs === undefined) return
    isSilenceWatched = true
    startDeadline(Math.max(1, Math.ceil(leftMs)), () => {
      isSilenceWatched = false
      if (!isShared) return
      // Not yet when something was heard meanwhile, or the timer came a fraction early.
      if (breaker.isOpen()) leave('Redis is silent')
      else watchSilence()
    })
  }

  function failedAttempt(error: Error): void {
    leave(error.message)
    if (error instanceof RedisUnsuitableError) {
      restUntil = monotonic() + unsuitableMs
      onUnsuitable(error)
    } else if (error instanceof DeadlineMissedError || isOfRole(error)) connection.reconnect()
  }

  return {
    isShared: () => isShared,
    observe(reply) {
      heardAt = monotonic()
      if (isShared && (reply.marker !== marker || reply.isSettling))
        leave('the store has lost its counters')
    },
    failed(error) {
      if (isOfRole(error)) {
        leave(error.message)
        connection.reconnect()
      } else if (breaker.isOpen()) leave(error.message)
      else watchSilence()
    },
    connected() {
      isExamined = false
      void attempt()
    },
    disconnected(cause) {
      leave(cause?.message ?? 'the connection was closed')
    },
    beat() {
      if (!isShared || monotonic() - heardAt < idleMs) return
      const askedAt = monotonic()
      connection
        .get(markerKey, lookDeadlineMs)
        .then((value) => {
          heardAt = monotonic()
          const isThere = value?.split(':')[1] === String(marker)
          if (isShared && !isThere) leave('the store has lost its counters')
        })
        .catch((error: Error) => {
          // Calls that began to ask meanwhile may have been answered.
          if (isShared && heardAt < askedAt) leave(error.message)
        })
    },
    close() {
      isClosed = true
      isShared = false
      clearInterval(timer)
    },
  }
}

function placeOf({ bucket, windowSeconds }: BucketClaim) {
  return { bucket, windowSeconds }
}

/** Errors of a server that is no longer or not yet the one to ask: look for another one. */
function isOfRole({ message }: Error): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN|NOREPLICAS)\b/.test(message)
}
