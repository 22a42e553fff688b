import { startDeadline } from '../../../platform/deadline.ts'
import type { Logger } from '../../../platform/log/log.ts'
import type { Breaker } from './breaker.ts'
import { type CatchUp, CountersLostError } from './catch-up.ts'
import type { AwayCause } from './counter-observer.ts'
import {
  type GrantReply,
  type MarkerPlace,
  markerOf,
  probeReply,
  probeScript,
} from './grant-script.ts'
import { unknownProcess } from './heartbeat.ts'
import { createLosses, type ServerKnowledge } from './losses.ts'
import type { Part } from './part.ts'
import { DeadlineMissedError, type RedisConnection } from './redis-connection.ts'
import { checkRedis, RedisUnsuitableError, scriptsUnsuitable } from './redis-facts.ts'

/**
 * What decides the calls on a server's buckets: the server that all processes
 * share (in `arriving`, `shared` and `moving`), or each process alone.
 *
 *     away ───── every 100 ms, and on each new connection ─────▶ returning
 *     returning ── steps 1 to 5 done, but for the last push ───▶ arriving
 *     returning ── a step failed, or the server still settles ─▶ away
 *     returning ── the server must not hold counters ──────────▶ resting ── 5 s ──▶ returning
 *     arriving ─── the last push is done ──────────────────────▶ shared
 *     shared ───── the place of the marker changed ────────────▶ moving
 *     moving ───── the marker is there, or the next beat tries ▶ shared
 *     shared, moving ── counters out of reach or lost ─────────▶ away
 *     arriving ──────── counters out of reach or lost ─────────▶ returning
 *       (not away, so that no second attempt starts before the last push has ended)
 */
type Mode =
  | { readonly name: 'away' | 'returning' | 'arriving' | 'shared' | 'moving' | 'closed' }
  /** @param until monotonic milliseconds */
  | { readonly name: 'resting'; readonly until: number }

const nextModes: Readonly<Record<Mode['name'], readonly Mode['name'][]>> = {
  away: ['returning', 'closed'],
  returning: ['arriving', 'away', 'resting', 'closed'],
  resting: ['returning', 'closed'],
  arriving: ['shared', 'returning', 'closed'],
  shared: ['moving', 'away', 'closed'],
  moving: ['shared', 'away', 'closed'],
  closed: [],
}

/**
 * Keeps the mode of one server. An attempt to return takes these steps. It stops
 * at the first one that cannot be done yet, and the next attempt, 100 ms later,
 * starts over. Step 1 runs once per connection, step 3 once per loss.
 * 1. INFO, once per connection: is the server fit for counters, and which run
 *    of which server is it?
 * 2. Probe: a grant on a separate bucket, which also reads the marker. PING
 *    would succeed on a replica or without memory. If another run wrote the
 *    marker, the server restarted or took over, and may have lost counts. So
 *    may a server with a marker from before another server's: a demoted primary
 *    that was promoted again before it replicated.
 * 3. A marker other than the known one means lost counters. The process pushes
 *    every floor, used-up buckets included, so that the server grants no
 *    process calls from a lost count.
 * 4. The server settles: it grants and adds nothing before every process that
 *    the heartbeat knew has done step 3. This lasts at least a second, in which
 *    each process notices the loss. The server does not wait for a process that
 *    is silent for five seconds, and for no process longer than a minute. A
 *    process that has just started may not know all others. After a loss that
 *    it noticed, or an outage in which it started, it makes the server wait
 *    these five seconds for them. It cannot notice a loss before its first
 *    contact: the server looks new to it, and waits only the second.
 * 5. The process pushes the calls it admitted without the server.
 *
 * In a store of several servers, each server has its own state; what changes
 * there is in `cluster/cluster-servers.ts`.
 */
export interface SharedMode {
  decidesCalls(): boolean
  /** Learns from a reply of the grant script that checked the marker, before its calls are answered. */
  observe(reply: GrantReply): void
  /**
   * Learns from the marker as read after a reply that did not check it.
   *
   * @returns whether the reply can be relied upon
   */
  observeMarker(value: string | undefined): boolean
  /** Where to read the marker; undefined before it is known. */
  place(): MarkerPlace | undefined
  /** A reply showed that the counters exist. */
  heard(): void
  /** Handles an error or a missed deadline. */
  failed(error: Error): void
  /** The connection is ready. */
  connected(): void
  /** Tries to return now, because the obstacle may be gone. */
  tryNow(): void
  /** The server received buckets whose counters are lost, which its marker does not show. */
  lost(reason: string): void
  /**
   * The server received its buckets from one that is gone. Its marker shows the
   * loss, but not to a process that never saw another marker.
   */
  inherited(): void
  /** The connection ended or could not be made. */
  disconnected(cause: Error | undefined): void
  /** Checks the counters when no recent call has. Called about four times a second. */
  beat(): void
  close(): void
}

export interface SharedModeOptions {
  readonly connection: RedisConnection
  readonly breaker: Breaker
  readonly catchUp: CatchUp
  readonly part: Omit<Part, 'isOurs' | 'push'>
  /** See {@link Heartbeat.living}; empty when this process admits no calls. */
  readonly living: () => readonly number[]
  /** See {@link Heartbeat.knowsOthers}; true when this process admits no calls. */
  readonly knowsOthers: () => boolean
  /** A silence of this length is an outage. */
  readonly deadlineMs: number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly isEvictionAllowed: boolean
  /** Counting is shared, for the first time or again. */
  onShared(): void
  /** Counting is no longer shared. */
  onAway(cause: AwayCause): void
  /** The server must not hold counters. Called again at every check until it may; logs nothing itself. */
  onUnsuitable(error: RedisUnsuitableError): void
}

/** Pause between two attempts to return. */
const attemptMs = 100

/** Milliseconds to wait for requests that hold up no call. */
const patienceMs = 250

/** Silence after which the marker is checked; well below the second without grants after a loss. */
const idleMs = 400

/** Interval between checks of a server that must not hold counters. */
const unsuitableMs = 5000

/** Minimum interval between log lines about a store that stays away for changing reasons. */
const logMs = 10_000

export function createSharedMode({
  connection,
  breaker,
  catchUp,
  part,
  living,
  knowsOthers,
  deadlineMs,
  monotonic,
  log,
  isEvictionAllowed,
  onShared,
  onAway,
  onUnsuitable,
}: SharedModeOptions): SharedMode {
  const node = part.name
  let mode: Mode = { name: 'away' }
  /** Run id of the connected server; undefined until INFO was read on this connection. */
  let runId: string | undefined
  const losses = createLosses({ catchUp, part })
  /** Whether the server may lack counts from before this process reached it. */
  let mayLackCounts = false
  /**
   * Whether the server may lack counts of processes that this one had not met when it noticed a loss. True until the server
   * grants again, because a second loss before that may affect the same processes.
   */
  let mayMissSome = false
  let heardAt = Number.NEGATIVE_INFINITY
  let logged = { reason: '', at: Number.NEGATIVE_INFINITY }
  let stopWatch: (() => void) | undefined
  const timer = setInterval(() => void attempt(), attemptMs).unref()

  /** The only place that changes the mode. */
  function enter(next: Mode): void {
    if (!nextModes[mode.name].includes(next.name)) {
      throw new Error(`the counters of a server cannot go from ${mode.name} to ${next.name}`)
    }
    mode = next
    if (decidesCalls()) return
    stopWatch?.()
    stopWatch = undefined
  }

  function decidesCalls(): boolean {
    return mode.name === 'shared' || mode.name === 'arriving' || mode.name === 'moving'
  }

  function decideLocally(cause: AwayCause, reason: string): void {
    if (mode.name === 'closed') return
    noteAbsence()
    const wasShared = decidesCalls()
    const at = monotonic()
    if (wasShared || (reason !== logged.reason && at - logged.at >= logMs)) {
      logged = { reason, at }
      // Never log the error object: ioredis attaches the command, and after a failed sign-in that holds the password.
      log.warn({ node, cause, reason }, 'counters are not shared; calls are decided locally')
    }
    if (!wasShared) return
    enter({ name: mode.name === 'arriving' ? 'returning' : 'away' })
    onAway(cause)
  }

  /** What the server counts may be from before this process, and lost meanwhile. */
  function noteAbsence(): void {
    mayLackCounts ||= losses.marker() === undefined
  }

  /** Some servers do not let their users read INFO; counting works without it. */
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
    checkRedis(info, { isEvictionAllowed, isCluster: part.isClusterNode })
    await examineScripts()
    runId = info.get('run_id') ?? part.runIdOtherwise
  }

  /**
   * Other errors than these pass, such as LOADING or that of a proxy whose
   * server is away. NOPERM: the user may not run scripts.
   */
  async function examineScripts(): Promise<void> {
    const asked = { script: probeScript, keys: [], args: () => [], deadlineMs: patienceMs }
    const { numbers } = await connection.ask(asked).catch((error: unknown) => {
      if (!(error instanceof Error) || !isOfScripts(error)) throw error
      throw scriptsUnsuitable(error.message)
    })
    if (String(numbers) === String(probeReply)) return
    throw scriptsUnsuitable(`${numbers.join(' ')} in place of ${probeReply.join(' ')}`)
  }

  async function attempt(): Promise<void> {
    const isDue = mode.name === 'away' || (mode.name === 'resting' && monotonic() >= mode.until)
    if (!isDue || !connection.isReady()) return
    enter({ name: 'returning' })
    try {
      await takeSteps()
    } catch (error) {
      failedAttempt(error instanceof Error ? error : new Error(String(error)))
    }
    if (mode.name === 'arriving') enter({ name: 'shared' })
    else if (mode.name === 'returning') enter({ name: 'away' })
  }

  async function takeSteps(): Promise<void> {
    if (runId === undefined) await examine()
    const here = part.markerPlace()
    if (here === undefined) return
    const probe = await losses.pushAfterLoss(here, knowledge())
    const marker = losses.marker()
    // Leave a further loss to the next attempt.
    if (probe.isSettling || marker === undefined || probe.marker !== marker) return
    const rest = await catchUp.pushMost(here, marker)
    // The last push and the next calls share one connection, on which Redis keeps their order: the push runs first.
    const pushed = catchUp.push(here, rest, marker)
    // Another loss may have occurred meanwhile.
    if (mode.name === 'returning' && !losses.isPending()) arrive()
    await pushed
  }

  function arrive(): void {
    enter({ name: 'arriving' })
    mayMissSome = false
    breaker.reset()
    log.info({ node }, 'counters are shared')
    onShared()
  }

  function knowledge(): ServerKnowledge {
    mayMissSome ||= (mayLackCounts || losses.hasHappened()) && !knowsOthers()
    return { runId: runId ?? '', living: mayMissSome ? [...living(), unknownProcess] : living() }
  }

  function failedAttempt(error: Error): void {
    if (mode.name === 'closed') return
    if (error instanceof RedisUnsuitableError) {
      noteAbsence()
      enter({ name: 'resting', until: monotonic() + unsuitableMs })
      onUnsuitable(error)
      return
    }
    decideLocally(causeOf(error), error.message)
    if (error instanceof DeadlineMissedError || isOfRole(error)) connection.reconnect()
    if (part.isMisplaced(error)) part.onMisplaced()
  }

  /** The server no longer has the place of its marker: writes the same marker to another place. */
  async function moveMarker(to: MarkerPlace): Promise<void> {
    const moving: Mode = { name: 'moving' }
    enter(moving)
    try {
      await look()
      if (mode !== moving) return
      const { marker } = await losses.probeNewPlace(to, knowledge())
      if (mode !== moving) return
      if (marker === losses.marker()) losses.moved(to)
      else decideLocally('lost_counters', 'the store has lost its counters')
    } catch (error) {
      // The next beat tries again; until then the old place is read.
      if (error instanceof Error && part.isMisplaced(error)) part.onMisplaced()
    } finally {
      if (mode === moving) enter({ name: 'shared' })
    }
  }

  /** Reads the marker when no other request does. */
  async function look(): Promise<void> {
    const place = losses.place()
    if (place === undefined) return
    const askedAt = monotonic()
    try {
      observeMarker(await connection.get(place.key, deadlineMs))
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      if (part.isMisplaced(error)) part.onMisplaced()
      // The marker is moving: the server is alive, and its counts are intact.
      if (part.isElsewhere(error)) heardAt = monotonic()
      // Calls sent meanwhile may have been answered.
      else if (decidesCalls() && heardAt < askedAt) decideLocally(causeOf(error), error.message)
    }
  }

  function observeMarker(value: string | undefined): boolean {
    heardAt = monotonic()
    if (markerOf(value) === losses.marker()) return true
    if (decidesCalls()) decideLocally('lost_counters', 'the store has lost its counters')
    return false
  }

  /** One missed deadline may begin a silence that no later call reports. */
  function watchSilence(): void {
    const leftMs = breaker.silenceLeftMs()
    if (stopWatch !== undefined || leftMs === undefined || !decidesCalls()) return
    stopWatch = startDeadline(Math.ceil(leftMs), () => {
      stopWatch = undefined
      // Not if a reply arrived meanwhile, or the timer fired slightly early.
      if (breaker.isOpen()) decideLocally('silent', 'Redis is silent')
      else watchSilence()
    })
  }

  return {
    decidesCalls,
    observe(reply) {
      heardAt = monotonic()
      if (decidesCalls() && (reply.marker !== losses.marker() || reply.isSettling)) {
        decideLocally('lost_counters', 'the store has lost its counters')
      }
    },
    observeMarker,
    place: losses.place,
    heard() {
      heardAt = monotonic()
    },
    failed(error) {
      if (isOfRole(error)) {
        decideLocally('refusing', error.message)
        connection.reconnect()
      } else if (part.isMisplaced(error)) {
        decideLocally('refusing', error.message)
        part.onMisplaced()
      } else if (breaker.isOpen()) decideLocally(causeOf(error), error.message)
      else watchSilence()
    },
    connected() {
      runId = undefined
      void attempt()
    },
    tryNow: () => void attempt(),
    lost(reason) {
      losses.add()
      decideLocally('lost_counters', reason)
    },
    inherited() {
      mayLackCounts = true
    },
    disconnected(cause) {
      decideLocally('disconnected', cause?.message ?? 'the connection was closed')
    },
    beat() {
      if (!decidesCalls()) return
      const here = part.markerPlace()
      const hasMoved = here !== undefined && here.key !== losses.place()?.key
      if (hasMoved && mode.name === 'shared') void moveMarker(here)
      else if (monotonic() - heardAt >= idleMs) void look()
    },
    close() {
      if (mode.name !== 'closed') enter({ name: 'closed' })
      clearInterval(timer)
    },
  }
}

/** Errors of a server that has no such command, or whose scripts cannot do what the probe does. */
function isOfScripts({ message }: Error): boolean {
  return /^(NOPERM |ERR .*(command|script|support))/i.test(message)
}

/** Errors of a server that is no longer, or not yet, the primary: look for another one. */
function isOfRole({ message }: Error): boolean {
  return /\b(READONLY|LOADING|MASTERDOWN|NOREPLICAS)\b/.test(message)
}

function causeOf(error: Error): AwayCause {
  if (error instanceof CountersLostError) return 'lost_counters'
  return error instanceof DeadlineMissedError ? 'silent' : 'refusing'
}
