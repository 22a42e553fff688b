import type { Logger } from '../../platform/log.ts'
import type { Breaker } from './breaker.ts'
import { type CatchUp, CountersLostError } from './catch-up.ts'
import type { AwayCause } from './counter-observer.ts'
import { startDeadline } from './deadline.ts'
import { type GrantReply, type MarkerPlace, markerOf } from './grant-script.ts'
import { redirectionOf } from './redirection.ts'
import { DeadlineMissedError, type RedisConnection } from './redis-connection.ts'
import { checkRedis, RedisUnsuitableError } from './redis-facts.ts'

/**
 * Whether calls are decided by the server that all processes share.
 *
 *     away ── connected, suitable, probe granted, everything pushed, settled ──▶ shared
 *     shared ── connection lost, breaker open, counters lost, push failed ─────▶ away
 *
 * Away, every 100 ms and upon a new connection, an attempt is made:
 * 1. INFO, once for each connection: may counters be kept there, and which run
 *    of which server is it?
 * 2. Probe: a grant on a bucket of its own. PING would answer from a replica or
 *    without memory. With it the marker is looked at. Another run than the one
 *    that wrote it is a restart or a failover, and neither kept everything for
 *    sure; nor did a server with a marker from before another one: a demoted
 *    primary that became the primary again before it followed anybody.
 * 3. Counters were lost when the marker differs from the one known here: every
 *    floor is pushed, used-up buckets included, so that no process is granted
 *    from a forgotten counter.
 * 4. For a second after a loss nothing is granted to anybody and nothing added,
 *    so that all processes have done 3 before the first grant.
 * 5. What was admitted without the server is pushed.
 *
 * In a cluster each node has this by itself, with a marker in one of its slots:
 *
 *     shared ── the slot of the marker went to another node ──▶ shared, with the same marker in another slot
 *     new node ── its first slots come from nodes that live ──▶ as above, and the marker says that nothing was lost
 *     new node ── its slots come from a node that is gone ────▶ as above: another run, so lost
 *     shared ── slots of a node that is gone came to it ──────▶ away; its marker, of before, is replaced
 *
 * The last one each process reads from its map of slots. The first that does
 * replaces the marker; the others, if that one is fresh, only bring their floors.
 */
export interface SharedMode {
  isShared(): boolean
  /** Learns from any reply of the grant script that looked at the marker, before its calls are answered. */
  observe(reply: GrantReply): void
  /**
   * Learns from the marker as it is after a reply that did not look at it.
   *
   * @returns whether the reply can be relied upon
   */
  observeMarker(value: string | undefined): boolean
  /** Where the marker is looked at; undefined before anything is known of it. */
  place(): MarkerPlace | undefined
  /** Something was answered that says that the counters are there. */
  heard(): void
  /** Weighs an error or a missed deadline. */
  failed(error: Error): void
  /** The connection is ready. */
  connected(): void
  /** Makes an attempt now, because what stood against it may be gone. */
  tryNow(): void
  /** The server got slots whose counters are lost: its marker says nothing of them. */
  lost(): void
  /** The connection ended or could not be made. */
  disconnected(cause: Error | undefined): void
  /** Looks whether the counters are still there when no call has asked lately. Called about four times a second. */
  beat(): void
  close(): void
}

export interface SharedModeOptions {
  readonly connection: RedisConnection
  /** Names the server in the log; undefined where there is no other one. */
  readonly node: string | undefined
  readonly breaker: Breaker
  readonly catchUp: CatchUp
  /** Where the marker belongs; undefined while the server has no slots. */
  readonly markerPlace: () => MarkerPlace | undefined
  /** Stands for the run of a server that does not tell it; empty when nothing does. */
  readonly runIdOtherwise: string
  /** Nothing can be missing on the server although it has no marker yet. */
  readonly isComplete: () => boolean
  /** Milliseconds since any moment, never stepping. */
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly isEvictionAllowed: boolean
  /** What the server has to be: a node of a cluster, or none. */
  readonly isCluster: boolean
  /** Counts are shared: for the first time, or again. */
  onShared(): void
  /** Counts are not shared any more. */
  onAway(cause: AwayCause): void
  /** The server says that it is not, or may not be, the one to ask. */
  onMisplaced(): void
  /** The server must not hold counters. Calls go on without it. */
  onUnsuitable(error: RedisUnsuitableError): void
}

/** Between two attempts to come back. */
const attemptMs = 100

/** What no call waits for may take so long. */
const patienceMs = 250

/** Silence after which the marker is looked at; well below the second in which nothing is granted after a loss. */
const idleMs = 400

/** A marker up to this age settles long enough for all who hear of the same loss from their maps of slots. */
const freshMs = 500

/** Silence for so long is an outage; see breaker.ts. */
const lookDeadlineMs = 100

/** Between two looks at a server that must not hold counters. */
const unsuitableMs = 5000

/** Between two lines of the log about a store that stays away for changing reasons. */
const logMs = 10_000

export function createSharedMode({
  connection,
  node,
  breaker,
  catchUp,
  markerPlace,
  runIdOtherwise,
  isComplete,
  monotonic,
  log,
  isEvictionAllowed,
  isCluster,
  onShared,
  onAway,
  onMisplaced,
  onUnsuitable,
}: SharedModeOptions): SharedMode {
  let isShared = false
  let isTrying = false
  let isMoving = false
  let isClosed = false
  /** INFO was asked on this connection. */
  let isExamined = false
  /** Of the server of this connection. */
  let runId = ''
  /** The loss of counters this process has answered with its floors. */
  let marker: number | undefined
  /** Where that marker is. */
  let place: MarkerPlace | undefined
  /** Losses answered before that one. */
  const formerMarkers = new Set<number>()
  /** Losses that no marker tells of, and how many of these were answered. */
  let losses = 0
  let lossesAnswered = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let reasonLogged = ''
  let loggedAt = Number.NEGATIVE_INFINITY
  let restUntil = Number.NEGATIVE_INFINITY
  let isSilenceWatched = false
  const timer = setInterval(() => void attempt(), attemptMs).unref()

  function leave(cause: AwayCause, reason: string): void {
    if (isClosed) return
    const at = monotonic()
    if (isShared || (reason !== reasonLogged && at - loggedAt >= logMs)) {
      reasonLogged = reason
      loggedAt = at
      // Never the error itself: ioredis hangs the command on it, and that of a failed sign-in is the password.
      log.warn({ node, cause, reason }, 'counters are not shared; calls are decided locally')
    }
    if (!isShared) return
    isShared = false
    onAway(cause)
  }

  function enter(): void {
    isShared = true
    breaker.reset()
    log.info({ node }, 'counters are shared')
    onShared()
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
    checkRedis(info, { isEvictionAllowed, isCluster })
    runId = info.get('run_id') ?? runIdOtherwise
    isExamined = true
  }

  async function attempt(): Promise<void> {
    if (isShared || isTrying || isClosed || !connection.isReady() || monotonic() < restUntil) return
    isTrying = true
    try {
      if (!isExamined) await examine()
      const here = markerPlace()
      if (here === undefined) return
      const vouched = marker === undefined && isComplete() ? 0 : undefined
      let probe = await catchUp.probe(here, { runId, vouched })
      const lossesNow = losses
      const isDue = lossesNow > lossesAnswered
      if ((isDue && !isFresh(probe)) || formerMarkers.has(probe.marker)) {
        probe = await catchUp.probe(here, { runId, stale: probe.marker })
      }
      place = here
      if (probe.marker !== marker || isDue) {
        await catchUp.pushFloors(here)
        if (marker !== undefined && marker !== probe.marker) formerMarkers.add(marker)
        marker = probe.marker
        lossesAnswered = lossesNow
      }
      if (probe.isSettling) return
      const rest = await catchUp.pushMost(here, marker)
      // The rest and the next calls use one connection, on which Redis keeps their order: it is pushed before they ask.
      const pushed = catchUp.push(here, rest, marker)
      // Others may have come meanwhile.
      if (lossesAnswered === losses) enter()
      await pushed
    } catch (error) {
      failedAttempt(error instanceof Error ? error : new Error(String(error)))
    } finally {
      isTrying = false
    }
  }

  function failedAttempt(error: Error): void {
    if (error instanceof RedisUnsuitableError) {
      leave('unsuitable', error.message)
      restUntil = monotonic() + unsuitableMs
      onUnsuitable(error)
      return
    }
    leave(causeOf(error), error.message)
    if (error instanceof DeadlineMissedError || isOfRole(error)) connection.reconnect()
    if (isMisplaced(error)) onMisplaced()
  }

  /** The slot the marker is in went to another node: the same marker is put into another one. */
  async function moveMarker(to: MarkerPlace): Promise<void> {
    isMoving = true
    try {
      await look()
      if (!isShared) return
      const { marker: found } = await catchUp.probe(to, { runId, vouched: marker })
      if (found === marker) place = to
      else leave('lost_counters', 'the store has lost its counters')
    } catch (error) {
      // Tried again with the next beat; until then the old place is looked at.
      if (error instanceof Error && isMisplaced(error)) onMisplaced()
    } finally {
      isMoving = false
    }
  }

  /** Looks at the marker where nobody else does. */
  async function look(): Promise<void> {
    if (place === undefined) return
    const askedAt = monotonic()
    try {
      observeMarker(await connection.get(place.key, lookDeadlineMs))
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      if (isMisplaced(error)) onMisplaced()
      // Its slot is on the move: the server lives, and what it holds is where it was.
      if (redirectionOf(error) !== undefined) heardAt = monotonic()
      // Calls that began to ask meanwhile may have been answered.
      else if (isShared && heardAt < askedAt) leave(causeOf(error), error.message)
    }
  }

  function observeMarker(value: string | undefined): boolean {
    heardAt = monotonic()
    if (markerOf(value) === marker) return true
    if (isShared) leave('lost_counters', 'the store has lost its counters')
    return false
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
      if (breaker.isOpen()) leave('silent', 'Redis is silent')
      else watchSilence()
    })
  }

  return {
    isShared: () => isShared,
    observe(reply) {
      heardAt = monotonic()
      if (isShared && (reply.marker !== marker || reply.isSettling)) {
        leave('lost_counters', 'the store has lost its counters')
      }
    },
    observeMarker,
    place: () => place,
    heard() {
      heardAt = monotonic()
    },
    failed(error) {
      if (isOfRole(error)) {
        leave('refusing', error.message)
        connection.reconnect()
      } else if (isMisplaced(error)) {
        leave('refusing', error.message)
        onMisplaced()
      } else if (breaker.isOpen()) leave(causeOf(error), error.message)
      else watchSilence()
    },
    connected() {
      isExamined = false
      void attempt()
    },
    tryNow: () => void attempt(),
    lost() {
      losses += 1
      leave('lost_counters', 'slots came without their counters')
    },
    disconnected(cause) {
      leave('disconnected', cause?.message ?? 'the connection was closed')
    },
    beat() {
      if (!isShared) return
      const here = markerPlace()
      if (here !== undefined && here.key !== place?.key && !isMoving) void moveMarker(here)
      else if (monotonic() - heardAt >= idleMs) void look()
    },
    close() {
      isClosed = true
      isShared = false
      clearInterval(timer)
    },
  }
}

function isFresh({ isSettling, marker, serverTimeMs }: GrantReply): boolean {
  return isSettling && serverTimeMs - marker / 1000 < freshMs
}

/** Errors of a server that is no longer or not yet the one to ask: look for another one. */
function isOfRole({ message }: Error): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN|NOREPLICAS)\b/.test(message)
}

/** Errors of a cluster that has other slots where, or has lost some. */
function isMisplaced(error: Error): boolean {
  return error.message.startsWith('CLUSTERDOWN') || redirectionOf(error) !== undefined
}

function causeOf(error: Error): AwayCause {
  if (error instanceof CountersLostError) return 'lost_counters'
  return error instanceof DeadlineMissedError ? 'silent' : 'refusing'
}
