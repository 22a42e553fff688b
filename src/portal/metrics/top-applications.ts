import type { Catalogue } from '../../catalogue/catalogue.ts'
import {
  type CountedLimit,
  countedLimits,
  type LimitUse,
  limitUse,
} from '../../gateway/counters/counted-limits.ts'
import type { Counter } from '../../gateway/counters/counter.ts'
import { inForce } from '../api/in-force.ts'
import type {
  ApplicationFigures,
  Caller,
  CallerFigures,
} from '../stores/figures/application-figures.ts'

/** A limit that an application has nearly or wholly used up. */
export interface UsedUp extends Caller, Omit<LimitUse, 'remaining'> {}

/** Applications with the most calls, and those that will soon reach a limit. */
export interface TopApplications {
  readonly hour: readonly CallerFigures[]
  readonly day: readonly CallerFigures[]
  /** Limits of the day's callers, the most used first. */
  readonly usedUp: readonly UsedUp[]
}

export interface TopApplicationsOptions {
  readonly figures: ApplicationFigures
  readonly catalogue: () => Catalogue
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Share of a limit from which on it counts as nearly used up. */
export const nearlyUsedUp = 0.8
/** Counters that are read together. */
const peeksAtOnce = 500
/** Counters that one reading looks at. */
const peeksMax = 10_000

/**
 * Reads who calls most, from the usage that gateways wrote a few seconds ago,
 * and what they have left, from the counters. No gateway is asked, and no call
 * waits for it.
 *
 * @param max applications of each list, and limits
 */
export async function readTopApplications(
  options: TopApplicationsOptions,
  max: number,
): Promise<TopApplications> {
  const { figures } = options
  const hour = await figures.topCallers('hour', max)
  // After the other, so that its names are the newer ones.
  const day = await figures.topCallers('day', max)
  return { hour, day, usedUp: (await readUsedUp(options, day)).slice(0, max) }
}

async function readUsedUp(
  { figures, catalogue, counter, now }: TopApplicationsOptions,
  callers: readonly CallerFigures[],
): Promise<UsedUp[]> {
  const known = new Map(callers.map((caller) => [caller.applicationId, caller]))
  const watched = (await figures.limitsOf([...known.keys()])).flatMap(
    ({ applicationId, subscriptions, overrides }) =>
      countedLimits({
        applicationId,
        overrides,
        catalogue: catalogue(),
        nowMs: now(),
        subscriptions: inForce(subscriptions, catalogue(), now()),
      }).map((counted) => ({ applicationId, counted })),
  )
  const found: UsedUp[] = []
  for (let at = 0; at < Math.min(watched.length, peeksMax); at += peeksAtOnce) {
    const some = watched.slice(at, at + peeksAtOnce)
    const states = await counter.peek(some.map(({ counted }) => counted.peeked))
    const nowMs = now()
    for (const [index, { applicationId, counted }] of some.entries()) {
      const state = states[index]
      const caller = known.get(applicationId)
      if (state === undefined || caller === undefined || !isNearly(counted, state.count)) continue
      const { applicationName, developerEmail } = caller
      const { remaining: _, ...use } = limitUse(counted, state, nowMs)
      found.push({ applicationId, applicationName, developerEmail, ...use })
    }
  }
  return found.sort((one, other) => ratioOf(other) - ratioOf(one) || other.used - one.used)
}

/** Used calls of those that the limit allows; a limit of 0 is used up. */
export function ratioOf({ used, limit }: Pick<UsedUp, 'used' | 'limit'>): number {
  return limit === 0 ? 1 : used / limit
}

function isNearly({ limit }: CountedLimit, used: number): boolean {
  return used > 0 && ratioOf({ used, limit: limit.calls }) > nearlyUsedUp
}
