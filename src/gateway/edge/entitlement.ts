import type { Operation } from '../../catalogue/catalogue.ts'
import type { EffectivePlan } from '../../catalogue/effective-limits.ts'
import { bucketName } from '../counters/bucket.ts'
import type { BucketLimit } from '../counters/counter.ts'
import type { Caller } from '../registry/registry.ts'
import type { IdentityToken } from './identity.ts'

/** What a caller may do with an operation, and what its calls need every time: found once, used for as long as it holds. */
export interface Entitlement {
  /** With the numbers that hold for this caller. */
  readonly plan: EffectivePlan
  /** What the limits of the plan count, in their order; the same list for all its calls. */
  readonly buckets: readonly BucketLimit[]
  /** Milliseconds since 1970 between which it holds. An override ends by the clock, and one that was set back is a reason to look again, too. */
  readonly sinceMs: number
  readonly untilMs: number
  /** The identity signed last; undefined before. */
  token: IdentityToken | undefined
  /** Left here by who counts its calls for the developer. */
  usage: unknown
}

/** When an entitlement holds that no clock ends. */
const always = { sinceMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }

/** Makes the entitlement of a caller to an operation under a plan. */
export function createEntitlement(
  { applicationId }: Caller,
  operation: Operation,
  plan: EffectivePlan,
  { sinceMs, untilMs }: Pick<Entitlement, 'sinceMs' | 'untilMs'> = always,
): Entitlement {
  const buckets = plan.limits.map((limit) => ({
    bucket: bucketName(applicationId, operation, limit),
    calls: limit.calls,
    windowSeconds: limit.windowSeconds,
  }))
  return { plan, buckets, sinceMs, untilMs, token: undefined, usage: undefined }
}
