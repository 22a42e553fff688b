import type { Limit } from '../../../catalogue/catalogue.ts'
import type { Standing } from '../../counters/counter.ts'
import { windowSeconds } from '../../counters/window.ts'

/** The constant parts of the header fields for a plan's limits. */
interface LimitTexts {
  /** The limits that the fields show. */
  readonly advertised: readonly Limit[]
  /** `"default";q=100;w=3600`, …; undefined when the length of a window varies. */
  readonly policy: string | undefined
  /** `"default";r=`, one per limit. */
  readonly states: readonly string[]
  readonly calls: readonly string[]
}

const texts = new WeakMap<readonly Limit[], LimitTexts>()

/**
 * Adds the state of a caller's limits: `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers-10), and the older trio for the limit
 * with the fewest calls left. Adds nothing if a reset time is unknown (an
 * outage), because a guess would mislead, and if the plan advertises no limit.
 *
 * @param fields alternating names and values
 * @param limits the limits of one plan; the constant texts are cached per list
 * @param standings one per limit, in the same order
 */
export function addLimitHeaders(
  fields: string[],
  limits: readonly Limit[],
  standings: readonly Standing[],
): void {
  const { advertised, policy, states, calls } = textsOf(limits)
  if (advertised.length < limits.length) {
    const shown = standings.filter((_, at) => limits[at]?.isAdvertised)
    if (shown.length > 0) addLimitHeaders(fields, advertised, shown)
    return
  }
  let state = ''
  for (let at = 0; at < standings.length; at += 1) {
    const { resetMs, remaining = 0 } = standings[at] ?? {}
    if (resetMs === undefined) return
    state += `${at === 0 ? '' : ', '}${states[at]}${remaining};t=${secondsUp(resetMs)}`
  }
  const decisive = tightest(standings)
  const standing = standings[decisive]
  fields.push(
    'RateLimit-Policy',
    policy ?? policyOf(limits, standings),
    'RateLimit',
    state,
    'X-RateLimit-Limit',
    calls[decisive] ?? '',
    'X-RateLimit-Remaining',
    String(standing?.remaining),
    'X-RateLimit-Reset',
    secondsUp(standing?.resetMs ?? 0),
  )
}

function textsOf(limits: readonly Limit[]): LimitTexts {
  const known = texts.get(limits)
  if (known !== undefined) return known
  const isConstant = limits.every(({ windowLength }) => typeof windowLength === 'number')
  const made = {
    advertised: limits.filter(({ isAdvertised }) => isAdvertised),
    policy: isConstant ? policyOf(limits, []) : undefined,
    states: limits.map(({ name }) => `"${name}";r=`),
    calls: limits.map(({ calls }) => String(calls)),
  }
  texts.set(limits, made)
  return made
}

function policyOf(limits: readonly Limit[], standings: readonly Standing[]): string {
  return limits
    .map(
      ({ name, calls, windowLength }, at) =>
        `"${name}";q=${calls};w=${windowSeconds(standings[at]?.window, windowLength)}`,
    )
    .join(', ')
}

/**
 * Index of the deciding limit: a refusing one before a granting one, then the
 * fewest calls left, then the longest wait. 0 for an empty list.
 */
export function tightest(standings: readonly Standing[]): number {
  let found = 0
  for (let at = 1; at < standings.length; at += 1) {
    const standing = standings[at]
    const best = standings[found]
    if (standing !== undefined && best !== undefined && isTighter(standing, best)) found = at
  }
  return found
}

function isTighter(standing: Standing, best: Standing): boolean {
  if (standing.granted !== best.granted) return !standing.granted
  if (standing.remaining !== best.remaining) return standing.remaining < best.remaining
  return (standing.resetMs ?? 0) > (best.resetMs ?? 0)
}

/** Milliseconds as whole seconds, rounded up, at least 1: a call after this time is not too early. */
export function secondsUp(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)))
}
