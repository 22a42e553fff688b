import type { Operation } from '../../../catalogue/catalogue.ts'
import type { UnansweredCall } from '../../../registry/availability/outage-rule.ts'
import { psd2ServiceOf } from '../../../registry/availability/psd2-service.ts'
import type { Call } from '../../edge/call.ts'
import type { FinishedCall } from '../metrics.ts'
import { addAnswer, addMinute, type InterfaceMinute, newMinute } from './interface-minutes.ts'
import { RecentSeconds } from './recent-seconds.ts'
import { isBanksError, type Reply, replyOf } from './reply-of.ts'

/** What a gateway remembers of its calls for the availability report: every call counts, none is sampled. */
export interface AvailabilityTally {
  ended(call: EndedRequest): void
  /** Versions that had calls, by `api version`. */
  readonly versions: ReadonlyMap<string, RecentSeconds>
  takeMinutes(): InterfaceMinute[]
  /** They could not be written. */
  giveBackMinutes(rows: readonly InterfaceMinute[]): void
}

/** A call whose response has ended. */
export interface EndedRequest {
  readonly call: Pick<Call, 'requestId' | 'caller'>
  readonly finished: FinishedCall
  /** When it arrived: whole milliseconds since 1970. */
  readonly arrivedAt: number
  /** From its arrival to the first byte of its answer; undefined: none was sent. */
  readonly firstByteMs: number | undefined
}

/** What calls of one operation share. */
interface Series {
  readonly names: Pick<InterfaceMinute, 'api' | 'version' | 'service'>
  readonly seconds: RecentSeconds
  /** The row of the latest minute. */
  row: InterfaceMinute
  /** How often rows had been taken when it was found: later it belongs to the writer. */
  takes: number
}

/** Versions times kinds of service times minutes: enough for an hour of a database that does not answer. */
const rowsMax = 10_000

export function createAvailabilityTally(): AvailabilityTally {
  const versions = new Map<string, RecentSeconds>()
  const waiting = new Map<string, InterfaceMinute>()
  // Weak, so that a reload frees the operations of before.
  const known = new WeakMap<Operation, Series>()
  let takes = 0

  function seriesOf(operation: Operation): Series {
    const found = known.get(operation)
    if (found !== undefined) return found
    const { api, version } = operation
    const name = `${api} ${version}`
    const seconds = versions.get(name) ?? new RecentSeconds({ api, version })
    versions.set(name, seconds)
    const names = { api, version, service: psd2ServiceOf(operation.psd2Role) }
    const made = { names, seconds, row: newMinute(names, -1), takes }
    known.set(operation, made)
    return made
  }

  function rowOf(series: Series, minute: number): InterfaceMinute | undefined {
    if (series.row.minute === minute && series.takes === takes) return series.row
    const { api, version, service } = series.names
    const name = `${minute} ${api} ${version} ${service}`
    const found = waiting.get(name) ?? newMinute(series.names, minute)
    if (!waiting.has(name)) {
      if (waiting.size >= rowsMax) return undefined
      waiting.set(name, found)
    }
    series.row = found
    series.takes = takes
    return found
  }

  function remember(series: Series, request: EndedRequest, reply: Reply): void {
    const { call, finished, arrivedAt, firstByteMs } = request
    if (reply === 'success') {
      const wait = Math.round(firstByteMs ?? finished.totalSeconds * 1_000)
      series.seconds.succeeded(arrivedAt, arrivedAt + wait)
    } else if (reply === 'unanswered') {
      series.seconds.notReplied(unansweredOf(call, finished, arrivedAt))
    }
  }

  return {
    versions,

    ended(request) {
      const { call, finished, arrivedAt, firstByteMs } = request
      const hasCaller = call.caller !== undefined
      const reply = replyOf({ finished, hasCaller, firstByteMs })
      if (reply === 'foreign' || finished.operation === undefined) return
      const series = seriesOf(finished.operation)
      const row = rowOf(series, Math.floor(arrivedAt / 60_000))
      if (row !== undefined) {
        row.requests += 1
        if (isBanksError(reply)) row.errors += 1
        if (reply === 'success') {
          const lastByteMs = finished.totalSeconds * 1_000
          addAnswer(row, firstByteMs ?? lastByteMs, lastByteMs)
        }
      }
      remember(series, request, reply)
    },

    takeMinutes() {
      takes += 1
      const rows = [...waiting.values()]
      waiting.clear()
      return rows
    },

    giveBackMinutes(rows) {
      // A series may hold the row that one of these replaces.
      takes += 1
      for (const row of rows) {
        const name = `${row.minute} ${row.api} ${row.version} ${row.service}`
        const newer = waiting.get(name)
        if (newer !== undefined) addMinute(row, newer)
        waiting.set(name, row)
      }
    },
  }
}

function unansweredOf(
  { requestId, caller }: EndedRequest['call'],
  { outcome, status }: FinishedCall,
  at: number,
): UnansweredCall {
  return {
    at,
    id: requestId,
    applicationId: caller?.applicationId ?? null,
    // Of an answer of the bank, its status says more.
    outcome: outcome === 'forwarded' ? String(status) : outcome,
  }
}
