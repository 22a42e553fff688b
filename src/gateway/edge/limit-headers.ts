import type { Limit } from '../../catalogue/catalogue.ts'
import type { Standing } from '../counters/counter.ts'

/**
 * Serialises where a caller stands: `RateLimit-Policy` and `RateLimit`
 * (draft-ietf-httpapi-ratelimit-headers-10) and the older trio for the limit
 * with the fewest calls left. Name and value alternate. Empty where a reset time
 * is unknown (an outage): nothing rather than a guess.
 *
 * @param standings one for each limit, in their order
 */
export function limitHeaders(limits: readonly Limit[], standings: readonly Standing[]): string[] {
  const policies: string[] = []
  const states: string[] = []
  for (const [at, limit] of limits.entries()) {
    const standing = standings[at]
    if (standing?.resetMs === undefined) return []
    policies.push(`"${limit.name}";q=${limit.calls};w=${limit.windowSeconds}`)
    states.push(`"${limit.name}";r=${standing.remaining};t=${secondsUp(standing.resetMs)}`)
  }
  const at = tightest(standings)
  return [
    'RateLimit-Policy',
    policies.join(', '),
    'RateLimit',
    states.join(', '),
    'X-RateLimit-Limit',
    String(limits[at]?.calls),
    'X-RateLimit-Remaining',
    String(standings[at]?.remaining),
    'X-RateLimit-Reset',
    secondsUp(standings[at]?.resetMs ?? 0),
  ]
}

/**
 * Index of the limit that decides: a refusing one before a granting one, then
 * the fewest calls left, then the longest to wait. 0 for an empty list.
 */
export function tightest(standings: readonly Standing[]): number {
  let found = 0
  standings.forEach((standing, at) => {
    const best = standings[found]
    if (best !== undefined && isTighter(standing, best)) found = at
  })
  return found
}

function isTighter(standing: Standing, best: Standing): boolean {
  if (standing.granted !== best.granted) return !standing.granted
  if (standing.remaining !== best.remaining) return standing.remaining < best.remaining
  return (standing.resetMs ?? 0) > (best.resetMs ?? 0)
}

/** Milliseconds as whole seconds, rounded up, at least 1: a call made after so long is not early. */
export function secondsUp(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)))
}
