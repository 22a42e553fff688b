import { type Operation, type OutagePolicy, versionKey } from '../../catalogue/catalogue.ts'
import type { EffectivePlan } from '../../catalogue/effective-limits.ts'
import type { Caller } from '../../registry/registry.ts'
import { bucketName, rehearsedBucketName } from '../counters/bucket.ts'
import type { BucketLimit } from '../counters/counter.ts'
import type { TokenHolder } from './forward/identity.ts'
import type { Published } from './published.ts'

/** What a caller may do with an operation: found once and reused while valid. */
export interface Entitlement extends TokenHolder {
  /** The plan with the numbers that apply to this caller. */
  readonly plan: EffectivePlan
  /** What the limits of the plan count, in order; the same list for all calls. */
  readonly buckets: readonly BucketLimit[]
  /** What is counted beside them and refuses nothing; usually undefined. */
  readonly rehearsed: Rehearsed | undefined
  /**
   * Validity in milliseconds since 1970. An override ends by the clock, and a
   * clock set back also requires a new look-up.
   */
  readonly sinceMs: number
  readonly untilMs: number
  /** What the observer keeps here, so that it need not be looked up for each call; the edge does not read it. */
  observed: unknown
}

/** The limits that a plan rehearses. */
export interface Rehearsed {
  readonly buckets: readonly BucketLimit[]
  readonly onStoreOutage: OutagePolicy
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
    windowLength: limit.windowLength,
  }))
  const rehearsed = rehearsedBy(applicationId, operation, plan)
  return { plan, buckets, rehearsed, sinceMs, untilMs, token: undefined, observed: undefined }
}

function rehearsedBy(
  applicationId: string,
  operation: Operation,
  { rehearsal }: EffectivePlan,
): Rehearsed | undefined {
  const key = versionKey(operation.api, operation.version)
  if (rehearsal === undefined || !rehearsal.versions.includes(key)) return undefined
  const buckets = rehearsal.limits.map((limit) => ({
    bucket: rehearsedBucketName(applicationId, operation, limit),
    calls: limit.calls,
    windowLength: limit.windowLength,
  }))
  return { buckets, onStoreOutage: rehearsal.onStoreOutage }
}

/** The part of a call that determines its entitlement. */
export interface EntitledBy {
  readonly caller: Caller
  readonly operation: Operation
  readonly published: Published
}

/** Entitlements that were found before. */
export interface KnownEntitlements {
  /** Undefined if none is kept that is valid at this time (milliseconds since 1970). */
  find(call: EntitledBy, nowMs: number): Entitlement | undefined
  keep(call: EntitledBy, entitlement: Entitlement): void
}

export interface KnownEntitlementsOptions {
  /** Number of entitlements kept before all are forgotten and found again; about 0.3 KB each. (Default: 400,000) */
  readonly capacity?: number
}

/** The entitlements of one caller under one configuration. */
interface Kept {
  readonly published: Published
  readonly byOperation: Map<Operation, Entitlement>
}

/**
 * Keeps the entitlements of a caller until the registry reports a change (then
 * the caller is a new object), a new configuration takes effect, or an override
 * ends.
 */
export function createKnownEntitlements({
  capacity = 400_000,
}: KnownEntitlementsOptions = {}): KnownEntitlements {
  let byCaller = new WeakMap<Caller, Kept>()
  let count = 0
  return {
    find({ caller, operation, published }, nowMs) {
      const kept = byCaller.get(caller)
      if (kept?.published !== published) return undefined
      const found = kept.byOperation.get(operation)
      if (found === undefined || nowMs < found.sinceMs || nowMs >= found.untilMs) return undefined
      return found
    },

    keep({ caller, operation, published }, entitlement) {
      count += 1
      if (count > capacity) {
        byCaller = new WeakMap()
        count = 1
      }
      let kept = byCaller.get(caller)
      // A caller may exist for months: this drops its entitlements of an old configuration.
      if (kept?.published !== published) {
        kept = { published, byOperation: new Map() }
        byCaller.set(caller, kept)
      }
      kept.byOperation.set(operation, entitlement)
    },
  }
}
