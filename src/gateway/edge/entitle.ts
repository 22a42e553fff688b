import { versionKey } from '../../catalogue/catalogue.ts'
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
  const known = createKnownEntitlements()
  return (call, next) => {
    const nowMs = now()
    let found = known.find(call, nowMs)
    if (found === undefined) {
      const judged = judge(call, nowMs)
      if ('code' in judged) {
        next(judged)
        return
      }
      known.keep(call, judged)
      found = judged
    }
    call.entitled(found)
    next()
  }
}

function judge(call: Call, nowMs: number): Entitlement | Refusal {
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
  if (overrides === undefined) return createEntitlement(caller, operation, plan)
  const effective = { ...plan, limits: effectiveLimits(plan.limits, overrides, nowMs) }
  const untilMs = limitsHoldUntil(overrides, nowMs)
  return createEntitlement(caller, operation, effective, { sinceMs: nowMs, untilMs })
}

/** What a caller keeps of a configuration. */
interface Kept {
  readonly published: Published
  /** By the ordinals of operations, sixteen to a page: a catalogue may have a thousand, of which a caller uses five. */
  readonly pages: ((Entitlement | undefined)[] | undefined)[]
}

const pageSize = 16

/**
 * Entitlements are the same for every call of a caller to an operation until
 * the registry hears of a change (then the caller is another one), a
 * configuration is taken into force, or an override ends.
 *
 * With many callers none of it is in a cache of the processor, so what counts is
 * how many objects a look touches: lists by ordinal instead of a map of
 * operations, measured 1 µs of a call.
 */
function createKnownEntitlements() {
  const byCaller = new WeakMap<Caller, Kept>()
  return {
    find({ caller, operation, published }: Call, nowMs: number): Entitlement | undefined {
      const kept = byCaller.get(caller)
      if (kept?.published !== published) return undefined
      const { ordinal } = operation
      const found = kept.pages[Math.floor(ordinal / pageSize)]?.[ordinal % pageSize]
      if (found === undefined) return undefined
      return nowMs >= found.sinceMs && nowMs < found.untilMs ? found : undefined
    },
    keep({ caller, operation, published }: Call, entitlement: Entitlement): void {
      let kept = byCaller.get(caller)
      // A caller may stay for months: what it keeps of a configuration goes with it.
      if (kept?.published !== published) {
        kept = { published, pages: [] }
        byCaller.set(caller, kept)
      }
      const page = Math.floor(operation.ordinal / pageSize)
      kept.pages[page] ??= Array<Entitlement | undefined>(pageSize).fill(undefined)
      kept.pages[page][operation.ordinal % pageSize] = entitlement
    },
  }
}
