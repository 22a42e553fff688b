import { callCount } from '../../catalogue/call-count.ts'
import { drillHeader } from '../../platform/http/drills.ts'
import { type ErrorCode, errors } from '../../platform/http/errors.ts'
import type { CallRecord, RecordedLimit } from '../../registry/usage/call-records.ts'
import { windowNoun } from './schemas/window-text.ts'

/**
 * Explains to the developer what happened to a call and why: one or two
 * sentences in plain English, times in UTC.
 *
 * @param nowMs milliseconds since 1970; whether a window has ended by now
 */
export function explainRecord(record: CallRecord, nowMs: number): string {
  const { outcome, decision, drill } = record
  if (drill !== null && drill !== 'refused') {
    return `A drill: the call asked for this response with the header ${drillHeader}: ${drill}. ${uncounted}`
  }
  if (isAdmission(decision)) return `${admission(record, nowMs)}; ${answer(record)}.`
  if (outcome === 'aborted') {
    return `Your application closed the connection before the gateway could check the call. ${uncounted}`
  }
  return `${refusal(record, nowMs)} ${uncounted}`
}

const brokeOff = 'the bank broke off its response'
const uncounted = 'This call does not count against your limit.'

function isAdmission(decision: string | null): boolean {
  return decision === 'admitted' || decision === 'observed' || decision === 'degraded_admitted'
}

/** Without a full stop. */
function admission(record: CallRecord, nowMs: number): string {
  const { decision, limit } = record
  if (decision === 'degraded_admitted') {
    return 'Allowed while the gateway could not reach its counters'
  }
  if (limit === null) return 'Allowed'
  const { calls, remaining } = limit
  if (decision === 'observed') {
    return `Allowed although all ${callCount(calls)} ${ofWindow(record, limit, nowMs)} were used: your plan does not enforce the limit`
  }
  return `Allowed as call ${calls - remaining} of ${calls} ${ofWindow(record, limit, nowMs)}`
}

/** The result of an allowed call, without a full stop. */
function answer({ outcome, status, upstreamMs, totalMs }: CallRecord): string {
  const ms = Math.round(upstreamMs ?? totalMs)
  if (outcome === 'forwarded') return `the bank responded with ${status} in ${ms} ms`
  if (outcome === 'cut') return brokeOff
  if (outcome === 'aborted') {
    return upstreamMs === null
      ? 'your application closed the connection before the call reached the bank'
      : 'your application closed the connection before it had received the whole response'
  }
  return afterAdmission[outcome] ?? `the gateway responded with ${status} (${outcome})`
}

/** Why an allowed call got no response from the bank. */
const afterAdmission: Readonly<Record<string, string>> = {
  BACKEND_UNREACHABLE: 'the gateway could not reach the bank',
  BACKEND_BAD_RESPONSE: 'the bank sent no valid response; the call may have had an effect',
  BACKEND_TIMEOUT: 'the bank did not respond in time; the call may have had an effect',
  INTERNAL_ERROR: 'the gateway failed; send the request id to the operator',
} satisfies Partial<Record<ErrorCode, string>>

/** Why the gateway refused a call; a whole sentence. */
function refusal(record: CallRecord, nowMs: number): string {
  const { outcome, detail, method } = record
  const version = `${record.api} ${record.version}`
  switch (outcome) {
    case 'QUOTA_EXCEEDED':
      return quotaExceeded(record, nowMs)
    case 'KEY_INVALID':
      return keyInvalid(record)
    case 'APPLICATION_SUSPENDED':
      return 'The application was suspended.'
    case 'METHOD_NOT_ALLOWED':
      return `The path exists in ${version}, but not with the method ${method}.`
    case 'VERSION_RETIRED':
      return `Version ${record.version} of ${record.api} is retired.`
    case 'COUNTERS_UNAVAILABLE':
      return 'The gateway could not reach its counters, and your plan does not allow uncounted calls.'
    case 'OVERLOADED':
      return (
        detail ?? 'The gateway was at capacity: too many calls or request bodies were in progress.'
      )
    default:
      return detail ?? `${titleOf(outcome)}.`
  }
}

/**
 * Ignores a revocation after the key had expired: it changed nothing. A key may
 * end between the begin of a call and the look at its key.
 */
function keyInvalid({ at, totalMs, keyExpiresAt, keyRevokedAt }: CallRecord): string {
  // The begin was cut to whole milliseconds, so the end may be a millisecond later than it seems.
  const endedAt = new Date(at.getTime() + totalMs + 1)
  const isRevoked = keyRevokedAt !== null && (keyExpiresAt === null || keyRevokedAt < keyExpiresAt)
  if (isRevoked && keyRevokedAt <= endedAt)
    return `The API key was revoked at ${utc(keyRevokedAt, at)}.`
  if (keyExpiresAt !== null && keyExpiresAt <= endedAt) {
    return `The API key expired at ${utc(keyExpiresAt, at)}.`
  }
  return 'The API key was no longer valid.'
}

function quotaExceeded(record: CallRecord, nowMs: number): string {
  const { limit, decision, detail } = record
  if (limit === null || limit.resetsAt === null || decision === 'degraded_refused') {
    return detail ?? 'The calls allowed while the gateway cannot reach its counters were used up.'
  }
  const { calls, resetsAt } = limit
  const resets = resetsAt.getTime() <= nowMs ? 'reset' : 'resets'
  return `All ${callCount(calls)} of the ${windowNoun(limit)} to ${subject(record, limit)} were used. The limit ${resets} at ${utc(resetsAt, record.at)}.`
}

/** `to listAccounts in the hour that ends at 15:00 UTC` */
function ofWindow(record: CallRecord, limit: RecordedLimit, nowMs: number): string {
  const { resetsAt } = limit
  const window = `to ${subject(record, limit)} in the ${windowNoun(limit)}`
  if (resetsAt === null) return window
  const ends = resetsAt.getTime() <= nowMs ? 'ended' : 'ends'
  return `${window} that ${ends} at ${utc(resetsAt, record.at)}`
}

/** The operation or version that the limit counts. */
function subject({ api, version, operation }: CallRecord, { scope }: RecordedLimit): string {
  return scope === 'operation' ? `${operation}` : `${api} ${version}`
}

function titleOf(outcome: string): string {
  return Object.entries(errors).find(([code]) => code === outcome)?.[1].title ?? outcome
}

/** `15:00 UTC`, with seconds unless they are 00, and with the day unless it is the day of the call. */
function utc(at: Date, callAt: Date): string {
  const [day = '', clock = ''] = at.toISOString().split('T')
  const time = clock.slice(0, clock.slice(6, 8) === '00' ? 5 : 8)
  return callAt.toISOString().startsWith(day) ? `${time} UTC` : `${time} UTC on ${day}`
}
