import { type Limit, type Operation, type Plan, versionKey } from '../../catalogue/catalogue.ts'
import type { CatalogueChange } from '../../catalogue/catalogue-change.ts'
import { type Compared, isOffered } from '../../catalogue/compare-catalogues.ts'
import { effectiveLimits } from '../../catalogue/effective-limits.ts'
import type { LimitOverride } from '../../registry/applications/overrides.ts'
import type { ActiveSubscription } from '../../registry/applications/subscriptions.ts'
import { isLeast } from '../../registry/usage/exceeded-usage.ts'
import type { AffectedApplication } from './affected.ts'

/** A limit that would be stricter than now, for one version. */
export interface NewLimit {
  readonly api: string
  readonly version: string
  readonly plan: string
  readonly limit: Limit
  /** Operations of the version as proposed. */
  readonly operations: readonly Operation[]
  /** Applications for which it would be stricter, with the calls that the window would admit and admits now. */
  readonly applications: readonly LimitedApplication[]
  /** Whether stored usage shows only the least number of refused calls. */
  readonly isLeast: boolean
}

export interface LimitedApplication {
  readonly application: AffectedApplication
  readonly calls: number
  /** What the limit of that name, window and scope admits now; Infinity: no such limit refuses calls. */
  readonly callsNow: number
}

export interface NewLimitsOptions {
  readonly changes: readonly { readonly change: CatalogueChange }[]
  readonly subscriptions: readonly ActiveSubscription[]
  readonly overrides: readonly LimitOverride[]
  readonly inForce: Compared
  readonly proposed: Compared
  readonly nowMs: number
}

/** The limits that would become stricter, version by version, with the applications under them. */
export function newLimits(options: NewLimitsOptions): readonly NewLimit[] {
  const { changes, subscriptions, inForce, proposed, nowMs } = options
  const strict = changes.filter(({ change }) => change.harm === 'restricts')
  return [...proposed.plans.values()].flatMap((plan) => {
    const isEnforcedNow = strict.some(
      ({ change }) => change.kind === 'plan.mode' && change.plan === plan.name,
    )
    const limits = plan.limits.filter(
      ({ name }) =>
        isEnforcedNow ||
        strict.some(({ change }) => change.plan === plan.name && change.limit === name),
    )
    if (limits.length === 0) return []
    const old = inForce.plans.get(plan.name)
    return [...proposed.versions.values()].flatMap(({ api, version, operations }) => {
      const own = subscriptions.filter(
        (subscription) =>
          subscription.api === api &&
          subscription.version === version &&
          subscription.plan === plan.name &&
          isOffered(proposed, subscription, nowMs),
      )
      if (own.length === 0) return []
      return limits.map((limit): NewLimit => {
        const applications = own
          .map((each) => limited(each, limit, old, options))
          // An override keeps its number.
          .filter(({ calls, callsNow }) => calls < callsNow)
        const least = isLeast(limit.windowLength)
        return { api, version, plan: plan.name, limit, operations, applications, isLeast: least }
      })
    })
  })
}

function limited(
  subscription: ActiveSubscription,
  limit: Limit,
  old: Plan | undefined,
  { overrides, nowMs }: NewLimitsOptions,
): LimitedApplication {
  const { applicationId: id, applicationName: name } = subscription
  const key = versionKey(subscription.api, subscription.version)
  const own = overrides.filter(
    (override) =>
      override.applicationId === id && versionKey(override.api, override.version) === key,
  )
  const callsOf = (of: Limit) => effectiveLimits([of], own, nowMs)[0]?.calls ?? of.calls
  const before = old?.limits.find(
    (each) =>
      each.name === limit.name &&
      each.windowLength === limit.windowLength &&
      each.scope === limit.scope,
  )
  const refusesNow = old?.mode === 'enforce' && before !== undefined
  return {
    application: { id, name },
    calls: callsOf(limit),
    callsNow: refusesNow ? callsOf(before) : Number.POSITIVE_INFINITY,
  }
}
