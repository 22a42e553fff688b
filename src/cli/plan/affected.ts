import type { CatalogueChange } from '../../catalogue/catalogue-change.ts'
import type { LimitOverride } from '../../registry/applications/overrides.ts'
import type { ActiveSubscription } from '../../registry/applications/subscriptions.ts'

export interface AffectedApplication {
  readonly id: string
  readonly name: string
}

export interface InUse {
  /** Those that let an application call now, ordered by the names of the applications. */
  readonly subscriptions: readonly ActiveSubscription[]
  /** Active ones. */
  readonly overrides: readonly LimitOverride[]
}

/**
 * The applications that notice a change, each once: those that are subscribed to
 * what it changes. A changed number of calls concerns no application with an
 * override of that limit, and a limit that goes takes its overrides along.
 */
export function affectedBy(change: CatalogueChange, inUse: InUse): readonly AffectedApplication[] {
  const affected = new Map<string, AffectedApplication>()
  for (const subscription of inUse.subscriptions) {
    if (!concerns(change, subscription)) continue
    if (change.kind === 'limit.calls' && hasOverride(change, subscription, inUse)) continue
    const { applicationId: id, applicationName: name } = subscription
    affected.set(id, { id, name })
  }
  return [...affected.values()]
}

/** Whether a subscription is about what a change is about. */
export function concerns(
  { api, version, plan }: CatalogueChange,
  subscription: ActiveSubscription,
): boolean {
  return (
    (api === undefined || api === subscription.api) &&
    (version === undefined || version === subscription.version) &&
    (plan === undefined || plan === subscription.plan)
  )
}

function hasOverride(
  { limit }: CatalogueChange,
  { applicationId, api, version }: ActiveSubscription,
  { overrides }: InUse,
): boolean {
  return overrides.some(
    (override) =>
      override.applicationId === applicationId &&
      override.api === api &&
      override.version === version &&
      override.limit === limit,
  )
}
