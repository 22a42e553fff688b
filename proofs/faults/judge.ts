import type { CallRecord, LedgerRecord } from './books.ts'
import { gatewayCount } from './gateways.ts'
import { type Windows, windowBegin, windowOf } from './load.ts'

/** A bucket whose calls are judged. */
export interface JudgedBucket {
  /** As the callers' log names it. */
  readonly stream: string
  readonly applicationId: string
  readonly operation: string
  readonly calls: number
  /** Undefined: one window for the whole experiment. */
  readonly windows: Windows | undefined
}

/** From the beginning of a fault until every gateway counted with the others again, in monotonic milliseconds. */
export interface Faulted {
  readonly from: number
  readonly to: number
}

export interface Bounds {
  /** Undefined: nothing was done but calls. */
  readonly faulted: Faulted | undefined
  /** What a window may admit in which the store did not decide every call. */
  readonly faultedMost: number
}

/** What the books say of the windows of some buckets. */
export interface WindowFigures {
  /** Without a fault, and with the store answering every call. */
  healthy: number
  /** Windows in which at least as many calls were offered as the limit allows: only there is equality judged. */
  full: number
  /**
   * Without a fault of ours, yet a deadline was missed, or a call lasted beyond an edge: the machine was too slow. Judged as
   * faulted ones are.
   */
  slow: number
  faulted: number
  mostHealthy: number
  /** Over slow and faulted ones. */
  mostFaulted: number
  /** Full healthy windows that admitted fewer than the limit. */
  short: number
  /** Counter values given twice in a healthy window. */
  duplicates: number
  /** Calls at an edge, of which the window is not sure: counted in neither, and equality is judged of neither. */
  ambiguous: number
  /** Windows that would have admitted too many if all calls at their edges were theirs, and not without them. */
  undecided: number
}

/**
 * A call that reached the backend may have been decided this long before it, beyond what the books know: the estimate of the
 * store's time lags a little.
 */
const edgeMs = 5

interface Tally {
  offered: number
  admitted: number
  /** Admitted in this window or the one beside it. */
  perhaps: number
  /** The store decided every call, and every call is known. */
  isSure: boolean
  readonly remaining: number[]
}

/**
 * Counts what was admitted in each window: by the ledger, and by the answer to its caller only where that adds nothing to
 * admissions.
 */
export function judgeWindows(
  buckets: readonly JudgedBucket[],
  calls: readonly CallRecord[],
  ledger: readonly LedgerRecord[],
  bounds: Bounds,
): WindowFigures {
  const figures: WindowFigures = {
    healthy: 0,
    full: 0,
    slow: 0,
    faulted: 0,
    mostHealthy: 0,
    mostFaulted: 0,
    short: 0,
    duplicates: 0,
    ambiguous: 0,
    undecided: 0,
  }
  const callsByStream = Map.groupBy(calls, ({ stream }) => stream)
  const ledgerByBucket = Map.groupBy(ledger, bucketOf)
  for (const bucket of buckets) {
    const own = callsByStream.get(bucket.stream) ?? []
    const reached = ledgerByBucket.get(bucketOf(bucket)) ?? []
    for (const [window, tally] of talliesOf(bucket, own, reached, figures)) {
      judgeWindow(bucket, window, tally, bounds, figures)
    }
  }
  return figures
}

function bucketOf({ applicationId, operation }: { applicationId: string; operation: string }) {
  return `${applicationId} ${operation}`
}

function talliesOf(
  { windows }: JudgedBucket,
  calls: readonly CallRecord[],
  reached: readonly LedgerRecord[],
  figures: WindowFigures,
): Map<number, Tally> {
  const tallies = new Map<number, Tally>()
  const begunById = new Map(calls.map(({ requestId, begun }) => [requestId, begun]))
  const numberOf = (ms: number): number => (windows === undefined ? 0 : windowOf(ms, windows))

  function tallyOf(window: number): Tally {
    let tally = tallies.get(window)
    if (tally === undefined) {
      tally = { offered: 0, admitted: 0, perhaps: 0, isSure: true, remaining: [] }
      tallies.set(window, tally)
    }
    return tally
  }

  /** The windows in which something may have been decided that took this time; nearly always one. */
  function talliesIn(from: number, to: number): Tally[] {
    const first = numberOf(from - edgeMs)
    const last = numberOf(to)
    return Array.from({ length: last - first + 1 }, (_, index) => tallyOf(first + index))
  }

  /** The window of what took this time; undefined when it is not sure, and none of them any more. */
  function onlyTally(from: number, to: number): Tally | undefined {
    const [tally, ...more] = talliesIn(from, to)
    if (tally === undefined || more.length === 0) return tally
    for (const unsure of [tally, ...more]) unsure.isSure = false
    return undefined
  }

  for (const { begun, ended, status, isAlone, remaining } of calls) {
    const tally = onlyTally(begun, ended)
    if (tally === undefined) continue
    tally.offered += 1
    if (isAlone || status === 0) tally.isSure = false
    if (status === 200 && remaining !== undefined) tally.remaining.push(remaining)
  }
  for (const { at, requestId } of reached) {
    // A call that no caller knows of counts where it arrived.
    const begun = begunById.get(requestId) ?? at
    const tally = onlyTally(begun, at)
    if (tally === undefined) {
      figures.ambiguous += 1
      for (const unsure of talliesIn(begun, at)) unsure.perhaps += 1
    } else tally.admitted += 1
  }
  return tallies
}

function judgeWindow(
  { calls, windows }: JudgedBucket,
  window: number,
  { offered, admitted, perhaps, isSure, remaining }: Tally,
  { faulted, faultedMost }: Bounds,
  figures: WindowFigures,
): void {
  const isTouched =
    faulted !== undefined &&
    (windows === undefined ||
      (windowBegin(window, windows) < faulted.to &&
        windowBegin(window + 1, windows) > faulted.from))
  if (isTouched || !isSure) {
    if (isTouched) figures.faulted += 1
    else figures.slow += 1
    figures.mostFaulted = Math.max(figures.mostFaulted, admitted)
    if (admitted <= faultedMost && admitted + perhaps > faultedMost) figures.undecided += 1
    return
  }
  figures.healthy += 1
  figures.mostHealthy = Math.max(figures.mostHealthy, admitted)
  figures.duplicates += remaining.length - new Set(remaining).size
  if (offered >= calls) {
    figures.full += 1
    if (admitted < calls) figures.short += 1
  }
}

/** What must never happen, whatever is broken. */
export interface HonestyFigures {
  /** Calls in the ledger for which no caller got 200 or lost the answer. */
  uncounted: number
  /** Answers 200 that the ledger does not know. */
  invented: number
  /** Request ids that reached the backend twice, of any method and of POST. */
  sentTwice: number
  sentTwicePost: number
  posts: number
  /** 5xx for a call that only had to be counted and forwarded. */
  serverErrors: number
  /** Calls without a whole answer. */
  unanswered: number
  /** Strangers that got anything but 401, or known callers that got 401. */
  swaps: number
  strangers: number
}

/** The names of streams that are not limited calls of a known key. */
export const strangerStream = 'stranger'
export const idleStream = 'idle'

export interface HonestyAllowances {
  /** Whether this answer to a stranger is right. (Default: 401 only, as where the registry can be asked.) */
  readonly strangerMay?: (call: CallRecord) => boolean
  /** Gateways that were killed: a call may have reached the backend through one without an answer reaching its caller. */
  readonly killed?: readonly number[] | undefined
}

export function judgeHonesty(
  calls: readonly CallRecord[],
  ledger: readonly LedgerRecord[],
  { strangerMay = ({ status }) => status === 401, killed = [] }: HonestyAllowances = {},
): HonestyFigures {
  const figures: HonestyFigures = {
    uncounted: 0,
    invented: 0,
    sentTwice: 0,
    sentTwicePost: 0,
    posts: 0,
    serverErrors: 0,
    unanswered: 0,
    swaps: 0,
    strangers: 0,
  }
  const arrivals = new Map<string, number>()
  for (const { requestId, method } of ledger) {
    const before = arrivals.get(requestId) ?? 0
    arrivals.set(requestId, before + 1)
    if (method === 'POST') figures.posts += 1
    if (before > 0) {
      figures.sentTwice += 1
      if (method === 'POST') figures.sentTwicePost += 1
    }
  }
  for (const call of calls) {
    const { stream, requestId, status, gateway } = call
    const isKnown = arrivals.has(requestId)
    if (stream === idleStream) continue
    if (stream === strangerStream) {
      figures.strangers += 1
      if (status !== 0 && !strangerMay(call)) figures.swaps += 1
      continue
    }
    if (status === 401) figures.swaps += 1
    if (status >= 500) figures.serverErrors += 1
    if (status === 0 && !killed.includes(gateway)) figures.unanswered += 1
    if (status === 200 && !isKnown) figures.invented += 1
    if (isKnown && status !== 200 && status !== 0) figures.uncounted += 1
    arrivals.delete(requestId)
  }
  // What is left reached the backend without any of our callers.
  figures.uncounted += arrivals.size
  return figures
}

/** Whether `Retry-After` was right, by the clock of the store. */
export interface RetryFigures {
  checked: number
  /** A call at that time would come before the window ends. */
  early: number
  /** More than a second after it. */
  late: number
  /** Calls made at that time, and of those the ones that were refused though others had not used it up. */
  again: number
  againRefused: number
}

/** Maximum time to read two clocks. */
const clockMs = 2

/** Maximum lag of the estimate of the store's time while the store is away: the latency of its last answer. */
const lagMs = 25

export function judgeRetries(
  buckets: readonly JudgedBucket[],
  calls: readonly CallRecord[],
): RetryFigures {
  const figures: RetryFigures = { checked: 0, early: 0, late: 0, again: 0, againRefused: 0 }
  const callsByStream = Map.groupBy(calls, ({ stream }) => stream)
  for (const { stream, windows, calls: most } of buckets) {
    if (windows === undefined) continue
    const own = callsByStream.get(stream) ?? []
    // Until the limit in the store or the share of a gateway is used up, at least this many were admitted.
    const least = Math.floor(most / gatewayCount)
    for (const { begun, ended, status, retryAfter, isAgain } of own) {
      const window = windowOf(begun, windows)
      if (isAgain) {
        figures.again += 1
        if (status === 429 && admittedUntil(own, windowBegin(window, windows), ended) < least) {
          figures.againRefused += 1
        }
      }
      if (status !== 429 || retryAfter === undefined || windowOf(ended, windows) !== window)
        continue
      const end = windowBegin(window + 1, windows)
      figures.checked += 1
      if (ended + retryAfter * 1000 < end - clockMs) figures.early += 1
      if (begun + retryAfter * 1000 > end + 1000 + lagMs) figures.late += 1
    }
  }
  return figures
}

/**
 * Admitted calls that a window which began then may have admitted until a
 * moment. A call that the machine held up over the beginning is one of them: it
 * began in one window and was decided in the next.
 */
function admittedUntil(calls: readonly CallRecord[], begin: number, until: number): number {
  return calls.filter(
    ({ begun, ended, status }) => status === 200 && begun <= until && ended >= begin,
  ).length
}

/** The value below which so large a part of the list lies; 0 of an empty one. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
