import type { Stores } from '../stores.ts'

export interface Onboarding {
  readonly email: string
  /** For a new developer. */
  readonly developerName: string
  readonly applicationName: string
  readonly subscriptions: readonly {
    readonly api: string
    readonly version: string
    readonly plan: string
  }[]
  /** The actor in the audit. */
  readonly by: string
}

/** The only place of the full key: it cannot be shown again. */
export interface Onboarded {
  readonly developerId: string
  readonly applicationId: string
  readonly keyId: string
  readonly key: string
}

/**
 * Creates everything a first call needs. Reuses a developer and an application
 * of that name, adds missing subscriptions (an existing one keeps its plan),
 * and always issues a new key.
 *
 * @throws what the stores throw; earlier steps stay done
 */
export async function onboard(
  stores: Pick<Stores, 'developers' | 'applications' | 'subscriptions' | 'keys'>,
  onboarding: Onboarding,
): Promise<Onboarded> {
  const subscribed = await subscribeApplication(stores, onboarding)
  const { applicationId } = subscribed
  const issued = await stores.keys.issue({ applicationId, by: onboarding.by })
  return { ...subscribed, keyId: issued.id, key: issued.key }
}

/** {@link onboard} without a key. */
export async function subscribeApplication(
  stores: Pick<Stores, 'developers' | 'applications' | 'subscriptions'>,
  { email, developerName, applicationName, subscriptions, by }: Onboarding,
): Promise<Pick<Onboarded, 'developerId' | 'applicationId'>> {
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
  return { developerId: developer.id, applicationId }
}
