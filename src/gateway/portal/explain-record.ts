import { type ErrorCode, errors } from '../../platform/errors.ts'
import type { CallRecord, RecordedLimit } from '../registry/call-records.ts'
import { windowWord } from './window-text.ts'

/**
 * Says in words what became of a call and why, for whoever made it: one or
 * two sentences in plain English, times in UTC.
 *
 * @param nowMs milliseconds since 1970; whether a window has ended by now
 */
export function explainRecord(record: CallRecord, nowMs: number): string {
  const { outcome, decision } = record
  if (isAdmission(decision)) return `${admission(record, nowMs)}; ${answer(record)}.`
  if (outcome === 'aborted') {
    return 'The connection ended before the call was decided. Nothing was counted.'
  }
  return `${refusal(record, nowMs)} The call was not counted.`
}

function isAdmission(decision: string | null): boolean {
  return decision === 'admitted' || decision === 'observed' || decision === 'degraded_admitted'
}

/** Without a full stop. */
function admission(record: CallRecord, nowMs: number): string {
  const { decision, limit } = record
  if (decision === 'degraded_admitted') {
    return 'Admitted without a count, because the counters could not be reached'
  }
  if (limit === null) return 'Admitted'
  const { calls, remaining } = limit
  if (decision === 'observed') {
    return `Admitted although all ${counted(calls)} ${ofWindow(record, limit, nowMs)} were used: the plan only observes`
  }
  return `Admitted as call ${calls - remaining} of ${calls} ${ofWindow(record, limit, nowMs)}`
}

/** What came of an admitted call, without a full stop. */
function answer({ outcome, detail, status, upstreamMs, totalMs }: CallRecord): string {
  const ms = Math.round(upstreamMs ?? totalMs)
  if (outcome === 'forwarded') return `the bank service answered ${status} in ${ms} ms`
  if (outcome === 'aborted') {
    return detail === null
      ? 'the connection ended before the whole answer had been sent'
      : 'the bank service broke its answer off'
  }
  return afterAdmission[outcome] ?? `the gateway answered ${status} (${outcome})`
}

/** What kept an admitted call from its answer. */
const afterAdmission: Readonly<Record<string, string>> = {
  BACKEND_UNREACHABLE: 'the bank service could not be reached',
  BACKEND_BAD_RESPONSE: 'the bank service gave no valid answer; the call may have had an effect',
  BACKEND_TIMEOUT: 'the bank service did not answer in time; the call may have had an effect',
  BODY_TOO_LARGE: 'its body turned out too large and was not sent on to the end',
  REQUEST_TIMEOUT: 'its body was not received in time',
  INTERNAL_ERROR: 'the gateway failed; tell the operator the request id',
} satisfies Partial<Record<ErrorCode, string>>

/** What a refused call was refused for; a whole sentence. */
function refusal(record: CallRecord, nowMs: number): string {
  const { outcome, detail, method } = record
  const version = `${record.api} ${record.version}`
  switch (outcome) {
    case 'QUOTA_EXCEEDED':
      return quotaExceeded(record, nowMs)
    case 'KEY_INVALID':
      return keyInvalid(record)
    case 'NOT_SUBSCRIBED':
      return `The application had no active subscription to ${version}.`
    case 'APPLICATION_SUSPENDED':
      return 'The application was suspended.'
    case 'NOT_FOUND':
      return 'No published operation has the path that was called.'
    case 'METHOD_NOT_ALLOWED':
      return `The path exists in ${version}, but not with the method ${method}.`
    case 'VERSION_RETIRED':
      return `Version ${record.version} of ${record.api} is retired.`
    case 'COUNTERS_UNAVAILABLE':
      return 'The counters could not be reached, and the plan admits no call without a count.'
    case 'OVERLOADED':
      return 'Too many calls were waiting for the bank service.'
    default:
      return detail ?? `${titleOf(outcome)}.`
  }
}

/** A revocation after the end of a key changed nothing any more. */
function keyInvalid({ at, keyExpiresAt, keyRevokedAt }: CallRecord): string {
  const isRevoked = keyRevokedAt !== null && (keyExpiresAt === null || keyRevokedAt < keyExpiresAt)
  if (isRevoked && keyRevokedAt <= at)
    return `The API key had been revoked at ${utc(keyRevokedAt, at)}.`
  if (keyExpiresAt !== null && keyExpiresAt <= at) {
    return `The API key had expired at ${utc(keyExpiresAt, at)}.`
  }
  return 'The API key was not valid any more.'
}

function quotaExceeded(record: CallRecord, nowMs: number): string {
  const { limit, decision, detail } = record
  if (limit === null || limit.resetsAt === null || decision === 'degraded_refused') {
    return (
      detail ?? 'The calls that may be admitted while the counters cannot be reached were used.'
    )
  }
  const { calls, resetsAt, windowSeconds } = limit
  const ends = resetsAt.getTime() <= nowMs ? 'ended' : 'ends'
  return `All ${counted(calls)} of the ${windowWord(windowSeconds)} to ${subject(record, limit)} were used. The window ${ends} at ${utc(resetsAt, record.at)}.`
}

/** `to listAccounts in the hour that ends at 15:00 UTC` */
function ofWindow(record: CallRecord, limit: RecordedLimit, nowMs: number): string {
  const { resetsAt, windowSeconds } = limit
  const window = `to ${subject(record, limit)} in the ${windowWord(windowSeconds)}`
  if (resetsAt === null) return window
  const ends = resetsAt.getTime() <= nowMs ? 'ended' : 'ends'
  return `${window} that ${ends} at ${utc(resetsAt, record.at)}`
}

/** What the limit counts. */
function subject({ api, version, operation }: CallRecord, { scope }: RecordedLimit): string {
  return scope === 'operation' ? `${operation}` : `${api} ${version}`
}

function counted(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`
}

function titleOf(outcome: string): string {
  return Object.entries(errors).find(([code]) => code === outcome)?.[1].title ?? outcome
}

/** `15:00 UTC`, with seconds where there are any and the day where it is not that of the call. */
function utc(at: Date, callAt: Date): string {
  const [day = '', clock = ''] = at.toISOString().split('T')
  const time = clock.slice(0, clock.slice(6, 8) === '00' ? 5 : 8)
  return callAt.toISOString().startsWith(day) ? `${time} UTC` : `${time} UTC on ${day}`
}
