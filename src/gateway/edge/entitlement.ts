import type { Operation } from '../../catalogue/catalogue.ts'
import type { EffectivePlan } from '../../catalogue/effective-limits.ts'
import { bucketName } from '../counters/bucket.ts'
import type { BucketLimit } from '../counters/counter.ts'
import type { Caller } from '../registry/registry.ts'
import type { IdentityToken } from './forward/identity.ts'

/** What a caller may do with an operation, and what each of its calls needs: found once and reused while valid. */
export interface Entitlement {
  /** The plan with the numbers that apply to this caller. */
  readonly plan: EffectivePlan
  /** What the limits of the plan count, in order; the same list for all calls. */
  readonly buckets: readonly BucketLimit[]
  /** Validity in milliseconds since 1970. An override ends by the clock, and a clock set back also requires a new look-up. */
  readonly sinceMs: number
  readonly untilMs: number
  /** The last signed identity; undefined before the first. */
  token: IdentityToken | undefined
  /** Reserved for the component that counts the developer's calls. */
  usage: unknown
}

/** Validity of an entitlement that no clock ends. */
const always = { sinceMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }

/** Creates the entitlement of a caller to an operation under a plan. */
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
