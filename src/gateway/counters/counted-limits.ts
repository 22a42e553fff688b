import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import {
  type CallsOverride,
  type EffectiveLimit,
  effectiveLimits,
} from '../../catalogue/effective-limits.ts'
import { bucketName } from './bucket.ts'
import type { BucketState, BucketWindow } from './counter.ts'
import { resetsAt } from './window.ts'

/** One limit of an operation or of a whole version, and where it is counted. */
export interface CountedLimit {
  readonly api: string
  readonly version: string
  /** Id of the operation; null for the version as a whole. */
  readonly operation: string | null
  readonly limit: EffectiveLimit
  readonly peeked: BucketWindow
}

/** How much of a limit is used in the current window. */
export interface LimitUse extends Pick<CountedLimit, 'api' | 'version' | 'operation'> {
  /** Its name in the plan. */
  readonly limitName: string
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetsAt: Date
}

/** @param nowMs when the state was read, milliseconds since 1970 */
export function limitUse(
  { api, version, operation, limit: { name: limitName, calls: limit } }: CountedLimit,
  { count: used, resetMs }: Pick<BucketState, 'count' | 'resetMs'>,
  nowMs: number,
): LimitUse {
  const remaining = Math.max(0, limit - used)
  const resets = new Date(resetsAt(nowMs, resetMs))
  return { api, version, operation, limitName, limit, used, remaining, resetsAt: resets }
}

interface OfVersion {
  readonly api: string
  readonly version: string
}

export interface CountedLimitsOptions {
  readonly applicationId: string
  readonly subscriptions: readonly (OfVersion & { readonly plan: string })[]
  /** Overrides of the application. */
  readonly overrides: readonly (OfVersion & CallsOverride)[]
  readonly catalogue: Catalogue
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * Everything counted for an application, resolved as the gateway resolves it. A
 * subscription to a version or plan that is no longer published counts nothing.
 */
export function countedLimits(options: CountedLimitsOptions): CountedLimit[] {
  const { applicationId, subscriptions, overrides, catalogue, nowMs } = options
  return subscriptions.flatMap(({ api, version, plan: planName }) => {
    const published = catalogue.versions.get(versionKey(api, version))
    const plan = catalogue.plans.get(planName)
    if (published === undefined || plan === undefined) return []
    const own = overrides.filter((other) => other.api === api && other.version === version)
    return effectiveLimits(plan.limits, own, nowMs).flatMap((limit) => {
      const operations =
        limit.scope === 'operation' ? published.operations.map(({ id }) => id) : [null]
      return operations.map((operation) => {
        const bucket = bucketName(applicationId, { api, version, id: operation ?? '' }, limit)
        const peeked = { bucket, windowLength: limit.windowLength }
        return { api, version, operation, limit, peeked }
      })
    })
  })
}
