import type { Schedule } from './schedule.ts'
import { beginning } from './server.ts'
import {
  type CallRecord,
  type History,
  noticeMs,
  type ResetRecord,
  recoveryMs,
  type Start,
} from './simulate.ts'
import type { Incident } from './store.ts'

/** A promise that did not hold. */
export interface Violation {
  readonly promise: Promised
  readonly details: string
}

/** What docs/evidence/faults.md and docs/stores.md promise, by name. */
export const promises = {
  'decides-once': 'every call gets one decision, within the deadline',
  'does-not-fail': 'the code of the counters throws nothing',
  'limit-healthy': 'a window in which Redis decided every call admits at most the limit',
  'limit-used': 'such a window admits the limit, if at least as many calls were offered',
  'each-once':
    'in such a window, and in one in which counters were lost while no process was cut off, Redis gives each number of remaining calls once',
  'counts-what-passed':
    'the store counts what such a window admitted: no refused call, and a call that was sent again once',
  'limit-faulted':
    'any other window admits at most the limit and the shares of the other processes',
  'shares-counted': 'calls admitted without the store are counted there once it is back',
  'reset-frees': "after an operator's reset a window admits the limit again, and no more",
  'memory-agrees':
    'the counter of one process decides the same calls as Redis does, if they come one after the other',
  replays: 'a schedule runs the same way each time',
  'true-window': 'the window of a decision is the one of the clock of the store',
  'retry-after':
    'a call made as Retry-After says comes after the window, and less than a second after',
  'shared-again': 'all processes count in the store again within the time that is promised',
  'shared-at-start':
    'without a fault, a process counts in the store a second after its start, two if the store is new',
  'asks-store': 'without a fault, the store decides every call',
} as const
export type Promised = keyof typeof promises

/** How long a call waits for the store. */
const deadlineMs = 250

/** What a decision takes beside the deadline: a turn of the event loop. */
const turnMs = 3

/** Time in which a process discovers the others, without a fault. */
const meetingMs = 3000

/** Time in which a process reaches the store for the first time, without a fault. */
const contactMs = 500

/** Time in which every process connects to a new primary and probes it. */
const unreachedMs = 1500

/** Packets, one after the other, from a connection that breaks to a process that counts. */
const packets = 8

/** How long before a window a process may have counted a call in it. */
const lagMs = 100

/** How old the time in a reply may be that decides calls. */
const slowestMs = deadlineMs

/** By how much drift and rounding move the estimate of the time of the store beyond the age of the best reply. */
const driftMs = 5

/** Checks what happened in a schedule. */
export function judge(schedule: Schedule, history: History): Violation[] {
  const violations: Violation[] = []
  const { calls, incidents, errors } = history

  function check(promise: Promised, holds: boolean, details: () => string): void {
    if (!holds) violations.push({ promise, details: details() })
  }

  for (const error of errors) check('does-not-fail', false, () => error)
  for (const one of history.disagreements) check('memory-agrees', false, () => one)
  if (errors.length > 0) return violations
  const hasTrueClock = !incidents.some(({ what }) => what === 'clock')
  for (const call of calls) {
    checkDecision(call)
    if (hasTrueClock && call.decidedAt !== undefined) checkTimes(call, call.decidedAt)
  }
  for (const [index] of schedule.buckets.entries()) {
    const told = calls.map((call) => inTrueWindows(call, index))
    for (const tally of talliesOf(index, told, schedule.shape === 'cluster')) {
      checkWindow(index, tally)
    }
  }
  const sharedMs = (history.sharedAt ?? Number.POSITIVE_INFINITY) - history.watchedFrom
  if (incidents.every(({ what }) => what === 'started')) checkHealthy()
  const packetsMs = packets * schedule.delay.most
  check('shared-again', sharedMs <= sharedAgainMs() + packetsMs, () => `after ${sharedMs} ms`)
  return violations

  function checkHealthy(): void {
    const mostMs = schedule.isOldStore ? 1000 : 2000
    for (const { gateway, atMs, readyAt = Number.POSITIVE_INFINITY, isShared } of history.starts) {
      const tookMs = readyAt - atMs
      const how = isShared ? 'sharing' : 'alone'
      const details = () => `gateway ${gateway} was ready after ${tookMs} ms, ${how}`
      check('shared-at-start', isShared && tookMs <= mostMs, details)
    }
    const alone = calls.filter(
      ({ decision, buckets, offeredAt }) =>
        decision?.startsWith('degraded') === true &&
        // Redis does not run a script on two keys of a slot that moves, which may take longer than the call waits.
        !(buckets.length > 1 && isMoving(buckets, offeredAt)),
    )
    check('asks-store', alone.length === 0, () => `${alone.length} calls were decided without it`)
  }

  /** Whether the slot of these buckets moves. */
  function isMoving(buckets: readonly number[], atMs: number): boolean {
    return schedule.events.some(
      (event) =>
        event.kind === 'move-slot' &&
        buckets.some((bucket) => applicationOf(bucket) === applicationOf(event.bucket)) &&
        event.atMs <= atMs + deadlineMs &&
        event.atMs + event.forMs >= atMs,
    )
  }

  function applicationOf(bucket: number): string | undefined {
    return schedule.buckets[bucket]?.application
  }

  function during(what: Incident['what'], from: number, to: number): Incident[] {
    return incidents.filter(
      (one) => one.what === what && one.atMs <= to && (one.untilMs ?? one.atMs) >= from,
    )
  }

  /** For how long a process stood still in all. */
  function stalledMs(gateway: number): number {
    return incidents
      .filter((one) => one.gateway === gateway && one.what === 'stalled')
      .reduce((sum, { atMs, untilMs = atMs }) => sum + untilMs - atMs, 0)
  }

  function checkDecision({ gateway, offeredAt, decidedAt, decisions }: CallRecord): void {
    const own = incidents.filter((one) => one.gateway === gateway)
    const mostMs = deadlineMs + turnMs + stalledMs(gateway)
    const isKilled = own.some(
      ({ what, atMs }) => what === 'crashed' && atMs >= offeredAt && atMs <= offeredAt + mostMs,
    )
    if (decisions === 0 && isKilled) return
    check('decides-once', decisions === 1, () => `${decisions} decisions at ${offeredAt} ms`)
    const tookMs = (decidedAt ?? 0) - offeredAt
    check('decides-once', tookMs <= mostMs, () => `decided after ${tookMs} ms at ${offeredAt} ms`)
  }

  function checkTimes(call: CallRecord, decidedAt: number): void {
    const isDegraded = call.decision?.startsWith('degraded') === true
    if (isDegraded && goesByOwnClock(call)) return
    // A refusal from memory ends with the window of the bucket that is used up; that of another bucket may be over
    // earlier, by the time that the reply with it took.
    const knownLag = call.buckets.length > 1 ? slowestMs : turnMs
    const lag = call.decision === 'refused_local' ? knownLag : call.lagMs + driftMs
    for (const [at, bucket] of call.buckets.entries()) {
      const window = call.windows[at]
      const lengthMs = (schedule.buckets[bucket]?.windowSeconds ?? 0) * 1000
      if (window === undefined || lengthMs > 5000) continue
      const begin = window * lengthMs - beginning
      const end = begin + lengthMs
      const isThen =
        (begin <= decidedAt || (isDegraded && begin <= latestKept(call))) &&
        end > call.offeredAt - (isDegraded || call.decision === 'refused_local' ? lag : turnMs)
      check('true-window', isThen, () => `window ${window} at ${call.offeredAt} ms`)
      if (call.admitted || call.buckets.length > 1 || call.onOutage === 'deny') continue
      // A process that stood still may decide after the window.
      const lateMs = decidedAt + call.retryAfterMs - Math.max(end, decidedAt)
      check(
        ...(['retry-after', lateMs > -2 && lateMs < 1000 + (isDegraded ? lag : 0)] as const),
        () => `${call.retryAfterMs} ms at ${decidedAt} ms, for a window until ${end} ms`,
      )
    }
  }

  /**
   * A window that an own clock has begun stays if, by the first reply of the store, it may have begun.
   *
   * @returns when such a window began at the latest, in true milliseconds
   */
  function latestKept(call: CallRecord): number {
    const { gateway } = call
    if (!hasOwnTime(gateway)) return Number.NEGATIVE_INFINITY
    const startedAt = runOf(call)?.atMs ?? 0
    const toldAt = calls
      .filter((one) => one.gateway === gateway && one.isTold && one.offeredAt >= startedAt)
      .map(({ decidedAt = Number.POSITIVE_INFINITY }) => decidedAt)
    return Math.min(...toldAt) + slowestMs + stalledMs(gateway)
  }

  /** Until the store has sent its time, a process uses its own clock. */
  function goesByOwnClock({ gateway, isTold }: CallRecord): boolean {
    return !isTold && hasOwnTime(gateway)
  }

  /** A call that its process took for one of another window, by its own clock, counts in the window that it was in. */
  function inTrueWindows(call: CallRecord, bucket: number): CallRecord {
    const at = call.buckets.indexOf(bucket)
    const { decision, decidedAt } = call
    if (at === -1 || call.windows[at] === undefined || decidedAt === undefined) return call
    if (decision?.startsWith('degraded') !== true || !hasTrueClock || !goesByOwnClock(call)) {
      return call
    }
    const lengthMs = (schedule.buckets[bucket]?.windowSeconds ?? 0) * 1000
    const window = Math.floor((beginning + decidedAt) / lengthMs)
    // A process may have the time from a late reply, and then lags by that delay.
    const ageMs = beginning + decidedAt - window * lengthMs
    if (call.windows[at] === window - 1 && ageMs < call.lagMs) return call
    return { ...call, windows: call.windows.with(at, window) }
  }

  /** The start of the process that decided a call. */
  function runOf({ gateway, offeredAt }: CallRecord): Start | undefined {
    return history.starts.findLast((start) => start.gateway === gateway && start.atMs <= offeredAt)
  }

  function hasOwnTime(gateway: number): boolean {
    return (
      schedule.gateways[gateway]?.clockOffsetMs !== 0 ||
      schedule.events.some((event) => event.kind === 'set-clock' && event.gateway === gateway)
    )
  }

  function checkWindow(bucket: number, tally: Tally): void {
    const { calls: limit = 0, windowSeconds = 0 } = schedule.buckets[bucket] ?? {}
    const { window, admitted, to } = tally
    const begin = window * windowSeconds * 1000 - beginning
    // A call that was given up before the first one may have been counted in this window.
    const from = Math.min(tally.from, Math.max(0, begin))
    const name = `bucket ${bucket}, window ${window}: ${admitted} of ${limit} admitted`
    const isTouched = incidents.some(
      ({ what, atMs, untilMs = atMs }) =>
        what !== 'started' && atMs <= to && untilMs >= from - lagMs,
    )
    // The store may have counted a call that its process gave up.
    const hasGivenUp = calls.some(
      ({ buckets, windows, decision, offeredAt, decidedAt = offeredAt + deadlineMs }) =>
        decision?.startsWith('degraded') === true &&
        buckets.includes(bucket) &&
        windows[buckets.indexOf(bucket)] === undefined &&
        offeredAt <= to &&
        decidedAt >= from,
    )
    // Calls by an own clock that it took for calls of this window, or just before it, may be counted in it.
    const isOwnClocks = calls.some(
      (call) =>
        call.decision === 'degraded_admitted' &&
        (call.windows[call.buckets.indexOf(bucket)] === window ||
          (!call.isTold &&
            call.buckets.includes(bucket) &&
            call.offeredAt <= to &&
            call.offeredAt >= begin - slowestMs)),
    )
    const stored = history.stored[bucket]
    const isLast = stored?.window === window
    // What is counted at the end is what came after the last of them.
    const resetsSince = history.resets.filter(
      (one) => one.bucket === bucket && untilOf(one) >= from,
    )
    const resets = resetsSince.filter(({ askedAt }) => askedAt <= to)
    if (isTouched || hasGivenUp || isOwnClocks || tally.isDegraded) {
      if (hasBeenSetBack(bucket, windowSeconds)) return
      const isBegunAgain = hasBeenLeft(begin)
      const forgotten = lossyMoves(bucket, from, to) + lossesBesideStart(from, to)
      const again = sharesAgain(bucket, window)
      // What was admitted alone in a window that then had not begun any more is counted in the one before.
      const most =
        (mostAdmitted(bucket, tally, { from, forgotten, again }) +
          (isBegunAgain ? tally.alone : 0)) *
        (1 + runsOf(resets))
      check('limit-faulted', admitted <= most, () => `${name}, ${most} allowed`)
      const isCutOff = incidents.some(
        ({ what, atMs, untilMs = atMs }) =>
          cuttingOff.has(what) && atMs <= to && untilMs >= from - lagMs,
      )
      if (!isCutOff && resets.length + forgotten + quickFailovers(from, to) === 0) {
        checkEachOnce(name, tally.granted)
      }
      const isKnown =
        !isBegunAgain &&
        forgotten + again + quickFailovers(from, to) === 0 &&
        resetsSince.length === 0 &&
        ['crashed', 'split', 'clock', 'evicted'].every((what) =>
          incidents.every((one) => one.what !== what),
        )
      check(
        'shares-counted',
        // A process that knows a limit to be used up may keep what it admitted beyond it.
        !isKnown || !isLast || stored.count >= Math.min(limit, admitted),
        () => `${name}, ${stored?.count} counted`,
      )
      return
    }
    check('limit-healthy', admitted <= limit * (1 + resets.length), () => name)
    if (!hasTrueClock) return
    if (resets.length > 0) {
      checkReset(name, bucket, tally, resets)
      return
    }
    checkEachOnce(name, tally.granted)
    const isLost = resetsSince.length > 0 || incidents.some(({ what }) => what !== 'started')
    check(
      'counts-what-passed',
      isLost || !isLast || stored.count === admitted,
      () => `${name}, ${stored?.count} counted`,
    )
    if (tally.isShared) return
    check(
      'limit-used',
      admitted >= Math.min(limit, tally.offered),
      () => `${name}, ${tally.offered} offered`,
    )
  }

  function checkEachOnce(name: string, remaining: readonly number[]): void {
    const isEach = new Set(remaining).size === remaining.length
    check('each-once', isEach, () => `${name}, left ${remaining}`)
  }

  /** How often they may have run: twice where commands run twice. */
  function runsOf(resets: readonly ResetRecord[]): number {
    const isDoubled = ({ gateway, askedAt }: ResetRecord) =>
      during('doubled', askedAt, askedAt + operatorMs).some((one) => one.gateway === gateway)
    return resets.reduce((sum, reset) => sum + (isDoubled(reset) ? 2 : 1), 0)
  }

  /** When every process knew of a reset; long after it if it failed. */
  function untilOf({ askedAt, toldAt = askedAt + operatorMs }: ResetRecord): number {
    return toldAt
  }

  /** Checks the calls since the last reset of a window without a fault. */
  function checkReset(
    name: string,
    bucket: number,
    { window, isShared }: Tally,
    resets: readonly ResetRecord[],
  ): void {
    const last = resets.reduce((a, b) => (b.askedAt > a.askedAt ? b : a))
    const { toldAt, askedAt } = last
    const limit = schedule.buckets[bucket]?.calls ?? 0
    if (toldAt === undefined || resets.some((one) => untilOf(one) > toldAt)) return
    const own = calls.filter((call) => call.windows[call.buckets.indexOf(bucket)] === window)
    const after = own.filter(({ offeredAt }) => offeredAt >= toldAt)
    const meanwhile = own.filter(
      ({ admitted, offeredAt, decidedAt = offeredAt }) =>
        admitted && decidedAt > askedAt && offeredAt < toldAt,
    ).length
    const numbers = after
      .filter(({ admitted }) => admitted)
      .map((call) => call.remaining[call.buckets.indexOf(bucket)] ?? -1)
    const isFreed = isShared || numbers.length >= Math.min(limit - meanwhile, after.length)
    const details = () =>
      `${name}, after a reset ${numbers.length} of ${after.length}, ${meanwhile} meanwhile`
    check('reset-frees', isFreed && numbers.length <= limit, details)
    checkEachOnce(name, numbers)
    const stored = history.stored[bucket]
    const isLast = history.resets.every((one) => one.bucket !== bucket || one.askedAt <= askedAt)
    if (stored?.window !== window || !isLast) return
    const isCounted = stored.count >= numbers.length && stored.count <= numbers.length + meanwhile
    check('reset-frees', isCounted, () => `${details()}, ${stored.count} counted`)
  }

  /**
   * A window to which the clock returns only after its key has expired begins
   * again: because the clock is set back, or the slot moves from a node whose clock was set ahead.
   */
  function hasBeenSetBack(bucket: number, windowSeconds: number): boolean {
    const hasMoved = schedule.events.some(
      (event) =>
        event.kind === 'move-slot' && applicationOf(event.bucket) === applicationOf(bucket),
    )
    return schedule.events.some(
      (event) =>
        event.kind === 'set-store-clock' &&
        (hasMoved ? Math.abs(event.byMs) : -event.byMs) >= windowSeconds * 1000,
    )
  }

  /** Whether the clock of the store was set from behind this moment to before it, as its processes saw that. */
  function hasBeenLeft(momentMs: number): boolean {
    let offset = 0
    return schedule.events.some((event) => {
      if (event.kind !== 'set-store-clock') return false
      const before = toldAt(event.atMs) + offset
      offset += event.byMs
      return before >= momentMs && event.atMs + offset < momentMs
    })
  }

  /** When processes that could not reach the store at a moment could again: until then they go by the time they know. */
  function toldAt(momentMs: number): number {
    const away = incidents.filter(({ what }) => what === 'fault' || what === 'stalled')
    const endMs = away
      .filter(({ atMs, untilMs = atMs }) => atMs <= momentMs && untilMs > momentMs)
      .reduce((latest, { atMs, untilMs = atMs }) => Math.max(latest, untilMs), momentMs)
    return endMs === momentMs ? momentMs : toldAt(endMs)
  }

  /**
   * The bound of docs/stores.md for a window that a fault touched.
   *
   * @param forgotten losses of counts that no process noticed in time
   * @param again shares that a process took twice
   */
  function mostAdmitted(
    bucket: number,
    { alone, admitted, to, isLate }: Tally,
    { from, forgotten, again }: { from: number; forgotten: number; again: number },
  ): number {
    const { configured, gateways } = schedule
    const limit = schedule.buckets[bucket]?.calls ?? 0
    const crashes = during('crashed', from, to).length
    const losses = during('lost', from, to).length
    const splits = during('split', from, to).length
    // All processes but the one that has seen what the store granted, unless that one used its share before.
    const sharing = gateways.length - (isLate || alone === admitted ? 0 : 1)
    // With the counters the list of processes is lost: until they have met again, two may take the first place.
    const hasPlaces = alone < admitted || incidents.every(({ what }) => what !== 'lost')
    let shares = 0
    for (let at = 0; at < sharing; at += 1) {
      shares += Math.floor((limit + configured - 1 - (hasPlaces ? at : 0)) / configured)
    }
    // A killed process has lost its share.
    shares += (crashes + again) * Math.ceil(limit / configured)
    // Without a grant of the store there are the shares of all, and nothing else.
    if (alone === admitted) return shares
    // What only a killed process knew is lost with the counters. A clock that is set back ends the wait after a loss. Of
    // two primaries, each grants the limit.
    const unnoticed = crashes > 0 || !hasTrueClock ? losses : quickFailovers(from, to)
    const evictions = during('evicted', from, to).filter((one) => one.buckets?.includes(bucket))
    return (
      limit + (unnoticed + splits + forgotten + evictions.length) * limit + Math.min(shares, alone)
    )
  }

  /** Moves of its slot with which counts were lost. */
  function lossyMoves(bucket: number, from: number, to: number): number {
    return history.lossyMoves.filter(
      ({ atMs, doneAt, buckets }) => doneAt >= from && atMs <= to && buckets.includes(bucket),
    ).length
  }

  /**
   * How often a process took one more share in a window: its own clock divided it in two before the first contact, or a
   * clock of the store that was set puts what it had admitted into another one.
   */
  function sharesAgain(bucket: number, window: number): number {
    const own = new Map<Start | undefined, Set<number | undefined>>()
    for (const call of calls) {
      const at = call.buckets.indexOf(bucket)
      if (at === -1 || !call.decision?.startsWith('degraded') || !goesByOwnClock(call)) continue
      if (inTrueWindows(call, bucket).windows[at] !== window) continue
      const run = runOf(call)
      own.set(run, (own.get(run) ?? new Set()).add(call.windows[at]))
    }
    return [...own.values()].reduce((sum, { size }) => sum + size - (hasTrueClock ? 1 : 0), 0)
  }

  /** Failovers so soon after another one that no process may have reached the primary between them. */
  function quickFailovers(from: number, to: number): number {
    const all = schedule.events.filter(({ kind }) => kind === 'failover')
    return all.filter(
      ({ atMs }, index) =>
        atMs <= to && atMs >= from && atMs - (all[index - 1]?.atMs ?? -1e9) < unreachedMs,
    ).length
  }

  /**
   * Losses that no process noticed in time: for one that started then the store
   * looked new, while another one could not reach it.
   */
  function lossesBesideStart(from: number, to: number): number {
    return during('lost', from, to).filter((loss) => {
      const { atMs: lostAt, untilMs: backAt = lostAt } = loss
      return history.starts.some(
        (start) =>
          contactAt(start, lostAt) >= lostAt &&
          start.atMs <= noticedAt(loss, start.gateway) &&
          incidents.some(
            ({ what, gateway, servers, atMs, untilMs = atMs }) =>
              (what === 'stalled' || (what === 'fault' && isAt(loss, servers))) &&
              // What keeps all away keeps the one that starts away, too.
              gateway !== undefined &&
              gateway !== start.gateway &&
              atMs <= backAt + noticeMs &&
              untilMs >= Math.max(start.atMs, lostAt) + noticeMs,
          ),
      )
    }).length
  }

  /** When a process that started reached the store for the first time, as far as that shows before a moment. */
  function contactAt({ gateway, atMs, readyAt, isShared }: Start, otherwiseMs: number): number {
    if (isShared) return readyAt ?? otherwiseMs
    const told = calls.filter(
      (call) => call.gateway === gateway && call.isTold && call.offeredAt >= atMs,
    )
    return told.reduce((least, { decidedAt = least }) => Math.min(least, decidedAt), otherwiseMs)
  }

  /** When a process that ran before has noticed a loss, but for one of the gateways. */
  function noticedAt({ atMs: lostAt, untilMs: backAt = lostAt }: Incident, but: number): number {
    const others = history.starts.filter(({ gateway, atMs }) => gateway !== but && atMs < lostAt)
    const free = others.map((other) =>
      (['stalled', 'fault', 'crashed'] as const)
        .flatMap((what) => during(what, lostAt, backAt + noticeMs))
        .filter(({ gateway = other.gateway }) => gateway === other.gateway)
        .reduce((until, { atMs, untilMs = atMs }) => Math.max(until, untilMs), backAt),
    )
    return Math.min(...free) + noticeMs
  }

  /** Whether a fault was at a server that lost its counters. A node of a cluster loses only its own. */
  function isAt({ servers: lost = [] }: Incident, servers: Incident['servers']): boolean {
    if (schedule.shape !== 'cluster' || servers === undefined) return true
    return servers.some((server) => lost.includes(server))
  }

  function sharedAgainMs(): number {
    // A store without a marker counts as one that has lost its counters.
    const lost = !schedule.isOldStore || incidents.some(({ what }) => what === 'lost')
    const crashed = incidents.some(({ what }) => what === 'crashed')
    const young = history.starts.some(mayMissOthers)
    // What is awaited is awaited by the clock of the store.
    if (!hasTrueClock) return recoveryMs
    // A process that starts meanwhile is awaited a second later than the others, for five.
    if (lost && (crashed || young)) return 6200
    return lost ? 2000 : 1000
  }

  /** Whether this process had not met the others when counters were lost, or could not reach the store at first. */
  function mayMissOthers({ gateway, atMs: startedAt }: Start): boolean {
    const faults = incidents.filter(
      (one) => one.what !== 'started' && (one.gateway ?? gateway) === gateway,
    )
    const isAround = (one: Incident, ms: number) =>
      (one.untilMs ?? one.atMs) >= startedAt && one.atMs <= startedAt + ms
    // What stops it in that time makes it last longer.
    const stoppedMs = faults
      .filter((one) => isAround(one, meetingMs))
      .reduce((sum, { atMs, untilMs = atMs }) => sum + untilMs - atMs, 0)
    return faults.some((one) =>
      isAround(one, one.what === 'lost' ? meetingMs + stoppedMs : contactMs),
    )
  }
}

/** Incidents that keep a process from what the store has or knows. */
const cuttingOff: ReadonlySet<Incident['what']> = new Set([
  ...(['crashed', 'stalled', 'split', 'clock', 'fault', 'evicted'] as const),
])

/** How long an operator's request waits, and what it sent may be on its way. */
const operatorMs = 3000

interface Tally {
  readonly window: number
  admitted: number
  offered: number
  /** Admitted without the store. */
  alone: number
  /** A process admitted calls alone, and the store granted it others before it knew of these. */
  isLate: boolean
  /** Some calls asked for another bucket too, which may have refused them. */
  isShared: boolean
  isDegraded: boolean
  /** What the store said was left, of each call that it admitted. */
  readonly granted: number[]
  /** From the first offer to the last decision, in true milliseconds. */
  from: number
  to: number
}

/** @param hasNodes whether a process can count in a part of the store only */
function talliesOf(
  bucket: number,
  calls: readonly CallRecord[],
  hasNodes: boolean,
): Iterable<Tally> {
  const tallies = new Map<number, Tally>()
  /** Calls of which the window is not known. */
  const apart: CallRecord[] = []
  for (const call of calls) {
    const at = call.buckets.indexOf(bucket)
    if (at === -1) continue
    const window = call.windows[at]
    if (window === undefined) {
      apart.push(call)
      continue
    }
    let tally = tallies.get(window)
    if (tally === undefined) {
      tally = {
        window,
        admitted: 0,
        offered: 0,
        alone: 0,
        isShared: false,
        isDegraded: false,
        isLate: false,
        granted: [],
        from: call.offeredAt,
        to: call.offeredAt,
      }
      tallies.set(window, tally)
    }
    tally.offered += 1
    tally.from = Math.min(tally.from, call.offeredAt)
    tally.to = Math.max(tally.to, call.decidedAt ?? call.offeredAt)
    if (call.buckets.length > 1) tally.isShared = true
    if (call.decision?.startsWith('degraded') === true) tally.isDegraded = true
    if (!call.admitted) continue
    tally.admitted += 1
    if (call.decision === 'degraded_admitted') tally.alone += 1
    else tally.granted.push(call.remaining[at] ?? -1)
  }
  for (const tally of tallies.values()) {
    const own = calls.filter(
      ({ admitted, buckets, windows }) =>
        admitted && windows[buckets.indexOf(bucket)] === tally.window,
    )
    tally.isLate = own.some(
      ({ decision, gateway, isShared, decidedAt: at = 0 }) =>
        decision === 'degraded_admitted' &&
        own.some(
          (other) =>
            other.decision === 'admitted' &&
            other.gateway === gateway &&
            (other.decidedAt ?? 0) >= at &&
            // A process that has left the store brings what it admitted before it comes back.
            (isShared || hasNodes || other.offeredAt <= at),
        ),
    )
    for (const { offeredAt, decidedAt = offeredAt + deadlineMs, buckets } of apart) {
      if (offeredAt > tally.to || decidedAt < tally.from) continue
      // Refused by the other bucket, or decided without the store.
      if (buckets.length > 1) tally.isShared = true
      tally.isDegraded = true
    }
  }
  return tallies.values()
}
