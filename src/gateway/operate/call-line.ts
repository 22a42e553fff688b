import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import type { Call } from '../edge/call.ts'
import type { FinishedCall } from './metrics.ts'

/** What of a line its call does not know. */
export interface CallLineFacts {
  /** Milliseconds since 1970. */
  readonly at: number
  /** When the call arrived, milliseconds since 1970. */
  readonly arrivedAt: number
  /** As far as RECORD_ADDRESSES allows. */
  readonly address: string | undefined
  /** From its arrival to the first byte of the backend's answer. */
  readonly firstByteMs: number | undefined
  readonly upstreamMs: number | undefined
}

const start = '{"level":"info","time":"'
const afterTime = `","pid":${process.pid},"requestId":"`

/**
 * The log line of a call, as JSON. It is built by hand, because a
 * general serializer takes a tenth of the time of the whole call. Ids are UUIDs,
 * letters or digits and need no escaping; what a document or a client decides
 * is escaped.
 */
export function callLine(call: Call, finished: FinishedCall, facts: CallLineFacts): string {
  const { caller } = call
  const { status, outcome, decision, totalSeconds } = finished
  const { at, arrivedAt, address, firstByteMs, upstreamMs } = facts
  let line = `${start}${timeOf(at)}${afterTime}${call.requestId}","traceId":"${call.trace.id}"`
  line += `,"arrivedAt":${arrivedAt}`
  const subject = call.operation ?? call.version
  if (subject !== undefined) line += namesOf(subject)
  if (caller !== undefined) {
    line += `,"applicationId":"${caller.applicationId}","keyId":"${caller.keyId}"`
  }
  if (address !== undefined) line += `,"address":${JSON.stringify(address)}`
  line += `,"status":${status},"outcome":"${outcome}"`
  if (decision !== undefined) line += `,"decision":"${decision}"`
  if (call.drill !== undefined) line += `,"drill":"${call.drill}"`
  const remaining = call.grant?.standings[0]?.remaining
  if (remaining !== undefined) line += `,"remaining":${remaining}`
  if (firstByteMs !== undefined) line += `,"firstByteMs":${firstByteMs}`
  line += `,"totalMs":${rounded(totalSeconds * 1_000)}`
  if (upstreamMs !== undefined) line += `,"upstreamMs":${rounded(upstreamMs)}`
  return `${line},"msg":"call"}\n`
}

/** By operation, or by version for a call that has none. Each configuration has new objects. */
const names = new WeakMap<object, string>()

function namesOf(subject: Operation | ApiVersion): string {
  const known = names.get(subject)
  if (known !== undefined) return known
  const { api, version } = subject
  const operation = 'method' in subject ? subject.id : undefined
  const made = `,${JSON.stringify({ api, version, operation }).slice(1, -1)}`
  names.set(subject, made)
  return made
}

let lastAt = Number.NaN
let lastText = ''

function timeOf(at: number): string {
  if (at !== lastAt) {
    lastAt = at
    lastText = new Date(at).toISOString()
  }
  return lastText
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}
