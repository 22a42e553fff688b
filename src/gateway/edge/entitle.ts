import { type Operation, versionKey } from '../../catalogue/catalogue.ts'
import { effectiveLimits, limitsHoldUntil } from '../../catalogue/effective-limits.ts'
import type { Refusal } from '../../platform/problem.ts'
import type { Caller } from '../registry/registry.ts'
import type { Call } from './call.ts'
import type { Check } from './check.ts'
import { createEntitlement, type Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'

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
  const known = createKnownEntitlements(now)
  return (call, next) => {
    const found = known.find(call) ?? judge(call, now())
    if ('code' in found) {
      next(found)
      return
    }
    known.keep(call, found)
    call.entitled(found.entitlement)
    next()
  }
}

/** An entitlement, and how long it holds. */
interface Held {
  readonly entitlement: Entitlement
  /** Milliseconds since 1970. An override ends by the clock, and one that was set back is a reason to look again, too. */
  readonly sinceMs: number
  readonly untilMs: number
}

interface HeldOfCaller {
  readonly published: Published
  readonly operations: Map<Operation, Held>
}

function judge(call: Call, nowMs: number): Held | Refusal {
  const { caller, operation, published } = call
  const { api, version } = operation
  if (caller.isSuspended) {
    return { code: 'APPLICATION_SUSPENDED', members: { api, version } }
  }
  const key = versionKey(api, version)
  const planName = caller.plans.get(key)
  const plan = planName === undefined ? undefined : published.catalogue.plans.get(planName)
  if (plan === undefined || !call.versionIfKnown?.plans.includes(plan.name)) {
    return {
      code: 'NOT_SUBSCRIBED',
      detail: `The application has no active subscription to ${api} ${version}.`,
      members: { api, version },
    }
  }
  const overrides = caller.overrides.get(key)
  if (overrides === undefined) {
    const entitlement = createEntitlement(caller, operation, plan)
    const always = { sinceMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }
    return { entitlement, ...always }
  }
  const effective = { ...plan, limits: effectiveLimits(plan.limits, overrides, nowMs) }
  const entitlement = createEntitlement(caller, operation, effective)
  return { entitlement, sinceMs: nowMs, untilMs: limitsHoldUntil(overrides, nowMs) }
}

/**
 * Entitlements are the same for every call of a caller to an operation until
 * the registry hears of a change (then the caller is another one), a
 * configuration is taken into force, or an override ends.
 */
function createKnownEntitlements(now: () => number) {
  const byCaller = new WeakMap<Caller, HeldOfCaller>()
  return {
    find({ caller, operation, published }: Call): Held | undefined {
      const known = byCaller.get(caller)
      const held = known?.published === published ? known.operations.get(operation) : undefined
      if (held === undefined) return undefined
      const nowMs = now()
      return nowMs >= held.sinceMs && nowMs < held.untilMs ? held : undefined
    },
    keep({ caller, operation, published }: Call, held: Held): void {
      const known = byCaller.get(caller)
      // A caller may stay for months: what it keeps of a configuration goes with it.
      if (known?.published !== published) {
        byCaller.set(caller, { published, operations: new Map([[operation, held]]) })
      } else if (known.operations.get(operation) !== held) known.operations.set(operation, held)
    },
  }
}
