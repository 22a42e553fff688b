import { type Plan, versionKey } from '../../catalogue/catalogue.ts'
import {
  type EffectivePlan,
  effectiveLimits,
  limitsHoldUntil,
} from '../../catalogue/effective-limits.ts'
import type { Caller } from '../registry/registry.ts'
import type { Check } from './check.ts'

export interface EntitleOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds the plan under which the caller may use this version: an active
 * subscription, to a plan that is still published for the version, with the
 * numbers an operator set for this application.
 */
export function entitle({ now }: EntitleOptions): Check {
  const effectivePlan = createEffectivePlans(now)
  return (call, next) => {
    const { caller, operation, published } = call
    const { api, version } = operation
    if (caller.isSuspended) {
      next({ code: 'APPLICATION_SUSPENDED', members: { api, version } })
      return
    }
    const key = versionKey(api, version)
    const planName = caller.plans.get(key)
    const plan = planName === undefined ? undefined : published.catalogue.plans.get(planName)
    if (plan === undefined || !call.versionIfKnown?.plans.includes(plan.name)) {
      next({
        code: 'NOT_SUBSCRIBED',
        detail: `The application has no active subscription to ${api} ${version}.`,
        members: { api, version },
      })
      return
    }
    call.entitled(caller.overrides.size === 0 ? plan : effectivePlan(caller, key, plan))
    next()
  }
}

interface KnownPlan {
  readonly plan: Plan
  readonly effective: EffectivePlan
  readonly sinceMs: number
  readonly untilMs: number
}

/**
 * Plans with the overrides of a caller, made once for as long as they hold:
 * the caller is replaced when the registry hears of a change, the plan by a
 * reload, and an override ends by the clock.
 */
function createEffectivePlans(now: () => number) {
  const byCaller = new WeakMap<Caller, Map<string, KnownPlan>>()
  return (caller: Caller, version: string, plan: Plan): EffectivePlan => {
    const overrides = caller.overrides.get(version)
    if (overrides === undefined) return plan
    const nowMs = now()
    let known = byCaller.get(caller)
    if (known === undefined) {
      known = new Map()
      byCaller.set(caller, known)
    }
    const found = known.get(version)
    // A clock that was set back is a reason to look again, too.
    if (found?.plan === plan && nowMs >= found.sinceMs && nowMs < found.untilMs) {
      return found.effective
    }
    const effective = { ...plan, limits: effectiveLimits(plan.limits, overrides, nowMs) }
    const untilMs = limitsHoldUntil(overrides, nowMs)
    known.set(version, { plan, effective, sinceMs: nowMs, untilMs })
    return effective
  }
}
