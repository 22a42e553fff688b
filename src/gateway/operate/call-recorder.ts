import type { Kysely } from 'kysely'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Standing } from '../counters/counter.ts'
import { presentedKey } from '../edge/authenticate.ts'
import type { Call } from '../edge/call.ts'
import { tightest } from '../edge/limit-headers.ts'
import type { Caller, KeyAuthenticator, KeyMemory } from '../registry/registry.ts'
import type { RegistrySchema } from '../registry/schema.ts'
import { pruneOverflow } from './calls/prune-records.ts'
import { createRecordBuffer } from './calls/record-buffer.ts'
import { writeRecords } from './calls/record-writer.ts'
import type { FinishedCall, RecordingMetrics } from './metrics.ts'
import { repeat } from './repeat.ts'
import { createUsageBuffer } from './usage/usage-buffer.ts'
import { writeUsage } from './usage/usage-writer.ts'

/** Detail of a record. */
const brokenOff = 'The bank service broke its answer off.'

/** Remembers for developers what became of their calls. */
export interface CallRecorder {
  /** Counts the call and keeps a record of it, when it is known whose it was. Writes nothing: that happens later. */
  ended(call: Call, finished: FinishedCall): void
  /** The backend failed the call, perhaps in the middle of its answer. */
  cut(call: Call): void
  /** Writes what waits, and ends. */
  close(): Promise<void>
}

export interface CallRecorderOptions {
  readonly db: Kysely<RegistrySchema>
  readonly keys: KeyMemory & KeyAuthenticator
  readonly metrics: RecordingMetrics
  readonly log: Pick<Logger, 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
  /** Somebody may be waiting for the first of them. (Default: 1,000) */
  readonly recordsEveryMs?: number
  /** (Default: 3,000) */
  readonly usageEveryMs?: number
  /**
   * As many as are written in the long run; meanwhile newer ones take the place
   * of older ones. Fewer where the database takes its time from the calls.
   * (Default: 2,000)
   */
  readonly recordsPerSecond?: number
}

/** In a second, of calls that were refused before it was asked whose they are: keys looked up in memory. */
const recognisedMax = 1_000
/** Of those, keys memory knows nothing of, which the database is asked about: first calls go wrong, too. So few that strangers can cost nobody anything. */
const askedMax = 10
/** Records in one statement: encoding them takes a millisecond of the loop that answers calls. */
const rowsPerStatement = 500
/** So many are written for an application before those above 1,000 are deleted. */
const overflowMax = 500

/** Refusals that come from asking whose key it is; there is nothing to find out any more. */
const unauthenticated: ReadonlySet<ErrorCode> = new Set([
  'KEY_MISSING',
  'ATTEMPTS_EXCEEDED',
  'REGISTRY_UNAVAILABLE',
])

/**
 * Records calls off the data path: a call costs some arithmetic and one small
 * object in bounded memory. A batch whose write fails is lost and counted; at
 * most one write of each kind is under way, and what comes meanwhile waits in
 * the same bounded memory.
 */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { db, keys, metrics, log, now, monotonic, recordsPerSecond = 2_000 } = options
  const records = createRecordBuffer()
  const usage = createUsageBuffer()
  const cuts = new WeakSet<Call>()
  const writtenSincePrune = new Map<string, number>()
  let restsUntil = 0
  let second = 0
  let recognisable = 0
  let askable = 0

  /** Whose call it was that was refused before that was asked. */
  function recognise(call: Call, endedAt: number, found: (caller: Caller) => void): void {
    if (call.refusal === undefined || unauthenticated.has(call.refusal)) return
    if (second !== Math.floor(endedAt / 1_000)) {
      second = Math.floor(endedAt / 1_000)
      recognisable = recognisedMax
      askable = askedMax
    }
    if (recognisable === 0) return
    const key = presentedKey(call.request.rawHeaders)
    if (key === undefined || key === 'doubled') return
    recognisable -= 1
    const known = keys.recogniseCached(key.value)
    if (typeof known === 'object') found(known)
    if (known !== 'unknown' || askable === 0) return
    askable -= 1
    keys.authenticate(key.value, () => {
      const caller = keys.recogniseCached(key.value)
      if (typeof caller === 'object') found(caller)
    })
  }

  function count(
    call: Call,
    caller: Caller,
    finished: FinishedCall,
    isCut: boolean,
    endedAt: number,
  ): void {
    const { refusal } = call
    const isAdmitted = isAdmission(finished.decision)
    // The client left before anything was decided.
    if (!isAdmitted && refusal === undefined) return
    const subject = finished.operation ?? finished.version
    const row = usage.find(caller.applicationId, subject, Math.floor(endedAt / 60_000))
    if (row === undefined) {
      metrics.usageLost(1)
      return
    }
    if (isAdmitted) {
      const totalMs = finished.totalSeconds * 1000
      row.admitted += 1
      row.duration_ms_sum += totalMs
      row.duration_ms_max = Math.max(row.duration_ms_max, totalMs)
      if (finished.status >= 500 || isCut) row.errors += 1
    } else {
      row.refused += 1
      if (refusal === 'QUOTA_EXCEEDED') row.refused_by_limit += 1
    }
  }

  function remember(call: Call, caller: Caller, finished: FinishedCall, endedAt: number): void {
    const isCut = finished.outcome === 'aborted' && cuts.has(call)
    count(call, caller, finished, isCut, endedAt)
    // Where the store counted it: for a refusal that was a moment ago.
    const countedAt = call.forwardedAt === 0 ? endedAt : endedAt - (monotonic() - call.forwardedAt)
    const grant = call.grantIfKnown
    const decisive = grant === undefined ? 0 : tightest(grant.standings)
    const standing = grant?.standings[decisive]
    const limit = grant === undefined ? undefined : call.plan.limits[decisive]
    const { version, operation, decision, outcome, totalSeconds, upstreamSeconds } = finished
    records.push({
      application_id: caller.applicationId,
      at: endedAt - totalSeconds * 1000,
      request_id: call.requestId,
      key_id: caller.keyId,
      method: call.request.method ?? '',
      api: version?.api ?? null,
      version: version?.version ?? null,
      operation: operation?.id ?? null,
      outcome,
      detail: isCut ? brokenOff : (call.refusalDetail ?? null),
      decision: decision ?? null,
      status: finished.status,
      limit_name: limit?.name ?? null,
      limit_scope: limit?.scope ?? null,
      limit_calls: limit?.calls ?? null,
      window_seconds: limit?.windowSeconds ?? null,
      remaining: standing?.remaining ?? null,
      resets_at: endOfWindow(standing, countedAt),
      total_ms: rounded(totalSeconds * 1000),
      upstream_ms: upstreamSeconds === undefined ? null : rounded(upstreamSeconds * 1000),
    })
  }

  async function flushRecords(): Promise<void> {
    const { byApplication, lost } = records.take()
    metrics.recordsLost(lost)
    const waiting = [...byApplication.values()].flat()
    restsUntil = monotonic() + (waiting.length / recordsPerSecond) * 1_000
    for (let start = 0; start < waiting.length; start += rowsPerStatement) {
      try {
        await writeRecords(db, waiting.slice(start, start + rowsPerStatement))
      } catch (error) {
        const unwritten = waiting.length - start
        metrics.recordsLost(unwritten)
        log.warn({ err: error, records: unwritten }, 'call records not written')
        return
      }
    }
    await prune(byApplication)
  }

  async function prune(written: ReadonlyMap<string, { readonly length: number }>): Promise<void> {
    const due: string[] = []
    for (const [id, { length }] of written) {
      // What processes before this one left over is dealt with at the first sight of an application.
      const since = (writtenSincePrune.get(id) ?? overflowMax) + length
      const isDue = since >= overflowMax
      writtenSincePrune.set(id, isDue ? 0 : since)
      if (isDue) due.push(id)
    }
    if (due.length === 0) return
    try {
      await pruneOverflow(db, due)
    } catch (error) {
      log.warn({ err: error, applications: due.length }, 'old call records not deleted')
    }
  }

  async function flushUsage(): Promise<void> {
    const rows = usage.take()
    try {
      await writeUsage(db, rows)
    } catch (error) {
      const calls = rows.reduce((sum, row) => sum + row.admitted + row.refused, 0)
      metrics.usageLost(calls)
      log.warn({ err: error, calls }, 'usage not written')
    }
  }

  const repetitions = [
    repeat(options.recordsEveryMs ?? 1_000, () =>
      records.size === 0 || monotonic() < restsUntil ? undefined : flushRecords(),
    ),
    repeat(options.usageEveryMs ?? 3_000, () => (usage.size === 0 ? undefined : flushUsage())),
  ]

  return {
    ended(call, finished) {
      const endedAt = now()
      const caller = call.callerIfKnown
      if (caller !== undefined) remember(call, caller, finished, endedAt)
      else recognise(call, endedAt, (found) => remember(call, found, finished, endedAt))
    },

    cut: (call) => void cuts.add(call),

    async close() {
      await Promise.all(repetitions.map((repetition) => repetition.stop()))
      await Promise.all([
        records.size > 0 ? flushRecords() : undefined,
        usage.size > 0 ? flushUsage() : undefined,
      ])
    },
  }
}

function isAdmission(decision: FinishedCall['decision']): boolean {
  return decision === 'admitted' || decision === 'degraded_admitted' || decision === 'observed'
}

/** Windows begin and end with a second. */
function endOfWindow(standing: Standing | undefined, countedAt: number): number | null {
  if (standing?.resetMs === undefined) return null
  return Math.round((countedAt + standing.resetMs) / 1000) * 1000
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
