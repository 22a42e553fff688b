import type { Subscription } from '../../../portal/api/schemas/applications.ts'
import type { PublishedApis, PublishedVersion } from '../../../portal/api/schemas/catalogue.ts'
import { useSubscriptions } from '../../api/applications.ts'
import { useApis } from '../../api/catalogue.ts'
import { accountsOperation } from '../../calls/read-accounts.ts'
import { nameAsText, t } from '../../words.ts'

/** A version that an application may call, with its published description. */
export interface SubscribedVersion extends PublishedVersion {
  readonly api: string
  readonly subscription: Subscription
}

/**
 * The versions that an application is subscribed to and that are not retired,
 * recommended ones first: not deprecated before deprecated, those that list
 * accounts before others, newer before older. Undefined while loading.
 */
export function useSubscribedVersions(applicationId: string) {
  const subscriptions = useSubscriptions(applicationId)
  const apis = useApis()
  const error = subscriptions.error ?? apis.error
  if (subscriptions.data === undefined || apis.data === undefined) return { error }
  return { error, versions: subscribedVersions(subscriptions.data.items, apis.data) }
}

function subscribedVersions(
  subscriptions: readonly Subscription[],
  { items }: PublishedApis,
): readonly SubscribedVersion[] {
  const found: SubscribedVersion[] = []
  for (const { api, versions } of items) {
    for (const version of versions.toReversed()) {
      const subscription = subscriptions.find(
        (each) => each.api === api && each.version === version.version,
      )
      if (subscription !== undefined && !version.isRetired)
        found.push({ ...version, api, subscription })
    }
  }
  return found.toSorted(
    (a, b) =>
      Number(a.isDeprecated) - Number(b.isDeprecated) ||
      Number(listsAccounts(b)) - Number(listsAccounts(a)),
  )
}

function listsAccounts({ operations }: PublishedVersion): boolean {
  return accountsOperation(operations) !== undefined
}

/** Names a version in a choice: `Mandates 1.0.0`. */
export function versionName({ title, version, isDeprecated }: PublishedVersion): string {
  const name = `${title} ${version}`
  return isDeprecated ? t('lifecycle.versionDeprecated', { name }) : nameAsText(name)
}
