import { callCount } from '../../catalogue/call-count.ts'
import type { Explanation } from '../../gateway/explain.ts'
import { errors } from '../../platform/http/errors.ts'
import { printable } from '../output.ts'

type Limit = NonNullable<Explanation['limits']>[number]

export interface DecisionContext {
  /** Undefined when the key names no application. */
  readonly applicationName: string | undefined
  readonly now: Date
}

/**
 * Describes in a sentence or two what the gateway would do with the call: "Refused
 * (429): all 100 calls of listAccounts are used. The limit resets at 15:00 UTC,
 * in 12 min."
 */
export function describeDecision(
  explanation: Explanation,
  { applicationName, now }: DecisionContext,
): string {
  const { decision, code, status, detail, operation, api, version, limits = [] } = explanation
  const who = applicationName === undefined ? '' : ` for ${printable(applicationName)}`
  const what = operation === undefined ? '' : ` ${operation} (${api} ${version})`
  if (decision === 'admit') {
    return `Allowed: the gateway forwards${what}${who}. ${limits.map((limit) => left(limit, now)).join(' ')}`.trimEnd()
  }
  if (decision === 'answer') {
    return `Answered with ${status}: the gateway answers this call itself. It counts and forwards nothing.`
  }
  const usedUp = limits.filter(({ used, calls }) => used >= calls)
  if (usedUp.length > 0) {
    const reasons = usedUp.map((limit) =>
      limit.calls === 1
        ? `the only call of the limit ${named(limit)} is used`
        : `all ${limit.calls} calls of the limit ${named(limit)} are used`,
    )
    const resets = Math.max(...usedUp.map(({ resetSeconds }) => resetSeconds))
    return `Refused with 429${who}: ${reasons.join(' and ')} for${what}. Calls are allowed again ${when(resets, now)}.`
  }
  const title = code === undefined ? '' : errors[code].title
  return `Refused with ${status} ${code}${who}: ${detail ?? `${title}.`}`
}

function left(limit: Limit, now: Date): string {
  const { calls, used, resetSeconds } = limit
  const count = Math.max(0, calls - used)
  return `${count} of ${callCount(calls)} of the limit ${named(limit)} ${count === 1 ? 'is' : 'are'} left; it resets ${when(resetSeconds, now)}.`
}

/** A limit that is not advertised is missing from the headers that the caller sees. */
function named({ name, isAdvertised }: Limit): string {
  return isAdvertised ? `"${name}"` : `"${name}" (not advertised)`
}

/** `at 15:00 UTC, in 12 min`. With a date where the moment is not today. */
function when(seconds: number, now: Date): string {
  const at = new Date(now.getTime() + seconds * 1000)
  const iso = at.toISOString()
  const day = iso.slice(0, 10) === now.toISOString().slice(0, 10) ? '' : `${iso.slice(0, 10)} `
  return `at ${day}${iso.slice(11, 16)} UTC, in ${span(seconds)}`
}

function span(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`
}
