import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { isRetired } from '../../catalogue/lifecycle.ts'

/**
 * The subscriptions that let an application call now: to a version that is not
 * retired, under a plan that is still offered for it. The gateway counts no
 * others.
 */
export function inForce<
  Subscription extends { readonly api: string; readonly version: string; readonly plan: string },
>(subscriptions: readonly Subscription[], catalogue: Catalogue, nowMs: number): Subscription[] {
  return subscriptions.filter(({ api, version, plan }) => {
    const published = catalogue.versions.get(versionKey(api, version))
    return published?.plans.includes(plan) === true && !isRetired(published.lifecycle, nowMs)
  })
}
