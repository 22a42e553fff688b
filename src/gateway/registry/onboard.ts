import type { RegistryStores } from './stores.ts'

export interface Onboarding {
  readonly email: string
  /** Of a developer that is new. */
  readonly developerName: string
  readonly applicationName: string
  readonly subscriptions: readonly {
    readonly api: string
    readonly version: string
    readonly plan: string
  }[]
  /** Actor of the audit. */
  readonly by: string
}

/** The key is nowhere else: it cannot be shown again. */
export interface Onboarded {
  readonly developerId: string
  readonly applicationId: string
  readonly keyId: string
  readonly key: string
}

/**
 * Makes everything a first call needs. Developer and application of that name
 * are used when they exist, missing subscriptions are added (an existing one
 * keeps its plan), the key is always new.
 *
 * @throws what the stores throw; what was made before stays
 */
export async function onboard(
  stores: Pick<RegistryStores, 'developers' | 'applications' | 'subscriptions' | 'keys'>,
  { email, developerName, applicationName, subscriptions, by }: Onboarding,
): Promise<Onboarded> {
  const developer =
    (await stores.developers.findByEmail(email)) ??
    (await stores.developers.create({ email, name: developerName, by }))
  const application =
    (await stores.applications.findByName(developer.id, applicationName)) ??
    (await stores.applications.create({ developerId: developer.id, name: applicationName, by }))
  const applicationId = application.id
  const active = await stores.subscriptions.list({ applicationId })
  for (const { api, version, plan } of subscriptions) {
    if (active.some((known) => known.api === api && known.version === version)) continue
    await stores.subscriptions.add({ applicationId, api, version, plan, by })
  }
  const issued = await stores.keys.issue({ applicationId, by })
  return { developerId: developer.id, applicationId, keyId: issued.id, key: issued.key }
}
