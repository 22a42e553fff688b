import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import {
  type CallsOverride,
  type EffectiveLimit,
  effectiveLimits,
} from '../../catalogue/effective-limits.ts'
import { bucketName } from './bucket.ts'
import type { BucketWindow } from './counter.ts'

/** One limit of an operation or of a whole version, and where it is counted. */
export interface CountedLimit {
  readonly api: string
  readonly version: string
  /** Id of the operation; null for the version as a whole. */
  readonly operation: string | null
  readonly limit: EffectiveLimit
  readonly peeked: BucketWindow
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
