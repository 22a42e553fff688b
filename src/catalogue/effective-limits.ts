import type { ApiVersion, Catalogue, Limit, Plan } from './catalogue.ts'

/** Another number of calls than a plan's, for one application, API version and limit. */
export interface CallsOverride {
  /** Name of the limit in the plan. */
  readonly limit: string
  /** Calls the window admits instead, ≥ 1. */
  readonly calls: number
  /** After that, the plan's own number applies again. */
  readonly expiresAt: Date
}

/** A limit as it applies to one application. */
export interface EffectiveLimit extends Limit {
  /** What another number than the plan's comes from; absent while the plan's own holds. */
  readonly override?: { readonly until: Date; readonly planCalls: number }
}

/** A plan as it applies to one application. */
export interface EffectivePlan extends Plan {
  readonly limits: readonly EffectiveLimit[]
}

/**
 * The limits that hold now: those of the plan, each with the number of its
 * override as long as that lasts. Name, window and scope stay the plan's, so
 * the count continues. An override of a limit the plan does not have changes
 * nothing.
 *
 * @param overrides of one application and API version, at most one for a limit
 * @param nowMs milliseconds since 1970
 */
export function effectiveLimits(
  limits: readonly Limit[],
  overrides: readonly CallsOverride[],
  nowMs: number,
): readonly EffectiveLimit[] {
  if (overrides.length === 0) return limits
  return limits.map((limit) => {
    const found = overrides.find(
      (override) => override.limit === limit.name && override.expiresAt.getTime() > nowMs,
    )
    if (found === undefined) return limit
    const override = { until: found.expiresAt, planCalls: limit.calls }
    return { ...limit, calls: found.calls, override }
  })
}

/** Names of the limits that can be overridden for a version: those of every plan it is offered under, each once. */
export function limitNames({ plans }: Catalogue, version: ApiVersion): readonly string[] {
  const limits = version.plans.flatMap((name) => plans.get(name)?.limits ?? [])
  return [...new Set(limits.map(({ name }) => name))]
}

/** When the limits that apply at `nowMs` may change by themselves, in milliseconds since 1970; Infinity: never. */
export function limitsHoldUntil(overrides: readonly CallsOverride[], nowMs: number): number {
  const ends = overrides.map(({ expiresAt }) => expiresAt.getTime()).filter((end) => end > nowMs)
  return Math.min(Number.POSITIVE_INFINITY, ...ends)
}
