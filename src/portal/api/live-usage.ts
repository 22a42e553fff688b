import type { Catalogue } from '../../catalogue/catalogue.ts'
import { shownWindow } from '../../catalogue/window-length.ts'
import { countedLimits, limitUse } from '../../gateway/counters/counted-limits.ts'
import type { Counter } from '../../gateway/counters/counter.ts'
import type { LimitOverride } from '../../registry/applications/overrides.ts'
import type { Subscription } from '../../registry/applications/subscriptions.ts'
import { withInstants } from './answers.ts'
import { inForce } from './in-force.ts'
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
 * The application's usage in the current windows: one item for each limit of
 * each operation it may call, and one for each limit of a whole version. Uses
 * the same limits, buckets and counter as the gateway, so the numbers are those
 * that it enforces. Versions and plans that are no longer published have no
 * item, as the gateway does not count them.
 *
 * @throws {StoreUnavailableError}
 */
export async function liveUsage(options: LiveUsageOptions): Promise<LiveUsageList> {
  const { catalogue, counter, now } = options
  const askedMs = now()
  const subscriptions = inForce(options.subscriptions, catalogue, askedMs)
  const counted = countedLimits({ ...options, subscriptions, nowMs: askedMs })
  const states = await counter.peek(counted.map(({ peeked }) => peeked))
  const nowMs = now()
  const items = counted.flatMap((one, at): LiveUsage[] => {
    const state = states[at]
    if (state === undefined) return []
    const { windowLength, override } = one.limit
    const use = withInstants(limitUse(one, state, nowMs))
    const overrideUntil = override?.until.toISOString() ?? null
    return [{ ...use, ...shownWindow(windowLength), overrideUntil }]
  })
  return { generatedAt: new Date(nowMs).toISOString(), items }
}
