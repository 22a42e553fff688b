import { type Plan, versionKey } from '../../../catalogue/catalogue.ts'
import { effectiveLimits, limitsHoldUntil } from '../../../catalogue/effective-limits.ts'
import type { Refusal } from '../../../platform/http/problem.ts'
import type { BoundCall, EntitledCall } from '../call.ts'
import { createEntitlement, createKnownEntitlements, type Entitlement } from '../entitlement.ts'
import type { Check } from '../run-checks.ts'

export interface EntitleOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Finds the plan under which the caller may use this version: an active
 * subscription to a plan that is still published for the version, with any
 * numbers an operator has set for this application.
 */
export function entitle({ now }: EntitleOptions): Check<BoundCall, EntitledCall> {
  const known = createKnownEntitlements()
  return (call, next) => {
    const nowMs = now()
    const kept = known.find(call, nowMs)
    if (kept !== undefined) {
      next(call.entitled(kept))
      return
    }
    const judged = judge(call, nowMs)
    if ('code' in judged) next(judged)
    else {
      known.keep(call, judged)
      next(call.entitled(judged))
    }
  }
}

function judge(call: BoundCall, nowMs: number): Entitlement | Refusal {
  const { caller, version: apiVersion, operation, published } = call
  const { api, version } = operation
  if (caller.isSuspended) {
    return { code: 'APPLICATION_SUSPENDED', members: { api, version } }
  }
  const key = versionKey(api, version)
  const planName = caller.plans.get(key)
  if (planName === undefined) {
    return {
      code: 'NOT_SUBSCRIBED',
      detail: `The application has no active subscription to ${api} ${version}. Subscribe it on the portal, then call again.`,
      members: { api, version },
    }
  }
  const plan = published.catalogue.plans.get(planName)
  if (plan === undefined || !apiVersion.plans.includes(plan.name)) {
    return {
      code: 'NOT_SUBSCRIBED',
      detail: `The plan "${planName}" of this subscription is no longer published for ${api} ${version}. Choose another plan on the portal, or ask the operator of this gateway.`,
      members: { api, version, plan: planName },
    }
  }
  const overrides = caller.overrides.get(key)
  if (overrides === undefined) return createEntitlement(caller, operation, plan)
  const limitsOf = ({ limits }: Pick<Plan, 'limits'>) => effectiveLimits(limits, overrides, nowMs)
  const { rehearsal } = plan
  const effective = {
    ...plan,
    limits: limitsOf(plan),
    // An override would hold for the rehearsed limit of that name, too.
    ...(rehearsal && { rehearsal: { ...rehearsal, limits: limitsOf(rehearsal) } }),
  }
  const untilMs = limitsHoldUntil(overrides, nowMs)
  return createEntitlement(caller, operation, effective, { sinceMs: nowMs, untilMs })
}
