import { type Catalogue, type Operation, versionKey } from '../../catalogue/catalogue.ts'
import { type EffectiveLimit, effectiveLimits } from '../../catalogue/effective-limits.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'
import { bucketName } from '../counters/bucket.ts'
import type { Counter, PeekedBucket } from '../counters/counter.ts'
import type { LimitOverride } from '../registry/overrides.ts'
import type { Subscription } from '../registry/subscriptions.ts'
import type { LiveUsage, LiveUsageList } from './schemas/usage.ts'

export interface LiveUsageOptions {
  readonly applicationId: string
  readonly subscriptions: readonly Subscription[]
  readonly overrides: readonly LimitOverride[]
  readonly catalogue: Catalogue
  readonly counter: Pick<Counter, 'peek'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * What an application has used in the current windows: one item for each limit
 * of each operation it may call, and one for each limit of a version as a
 * whole. Limits and buckets are found as the gateway finds them and counts
 * come from the counter it asks, so the numbers are those it enforces. What the
 * gateway would not count (a version or a plan that is not published any more)
 * has no item.
 *
 * @throws {StoreUnavailableError}
 */
export async function liveUsage(options: LiveUsageOptions): Promise<LiveUsageList> {
  const { counter, now } = options
  const counted = countedLimits(options)
  const states = await counter.peek(counted.map(({ peeked }) => peeked))
  const nowMs = now()
  const items = counted.flatMap(({ operation, limit }, at): LiveUsage[] => {
    const state = states[at]
    if (state === undefined) return []
    return [
      {
        api: operation.api,
        version: operation.version,
        operation: limit.scope === 'operation' ? operation.id : null,
        limitName: limit.name,
        limit: limit.calls,
        used: state.count,
        remaining: Math.max(0, limit.calls - state.count),
        windowSeconds: limit.windowSeconds,
        // Windows end on whole seconds; the clocks of store and process differ by less than half of one.
        resetsAt: new Date(Math.round((nowMs + state.resetMs) / 1000) * 1000).toISOString(),
        overrideUntil: limit.override?.until.toISOString() ?? null,
      },
    ]
  })
  return { generatedAt: new Date(nowMs).toISOString(), items }
}

interface CountedLimit {
  readonly operation: Pick<Operation, 'id' | 'api' | 'version'>
  readonly limit: EffectiveLimit
  readonly peeked: PeekedBucket
}

function countedLimits(options: LiveUsageOptions): CountedLimit[] {
  const { applicationId, subscriptions, overrides, catalogue, now } = options
  const nowMs = now()
  return subscriptions.flatMap(({ api, version, plan: planName }) => {
    const published = catalogue.versions.get(versionKey(api, version))
    const plan = catalogue.plans.get(planName)
    if (published === undefined || plan === undefined || !published.plans.includes(planName)) {
      return []
    }
    if (isRetired(published.lifecycle, nowMs)) return []
    const own = overrides.filter((other) => other.api === api && other.version === version)
    const limits = effectiveLimits(plan.limits, own, nowMs)
    return limits.flatMap((limit) => {
      // All operations share the bucket of a limit on the version; any of them names it.
      const operations =
        limit.scope === 'operation' ? published.operations : published.operations.slice(0, 1)
      return operations.map((operation) => {
        const bucket = bucketName(applicationId, operation, limit)
        return { operation, limit, peeked: { bucket, windowSeconds: limit.windowSeconds } }
      })
    })
  })
}
