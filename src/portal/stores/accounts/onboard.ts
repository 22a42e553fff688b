import type { Stores } from '../stores.ts'

export interface Onboarding {
  readonly email: string
  /** For a new developer. */
  readonly developerName: string
  readonly applicationName: string
  readonly subscriptions: readonly OnboardingSubscription[]
  /** The actor in the audit. */
  readonly by: string
}

interface OnboardingSubscription {
  readonly api: string
  readonly version: string
  readonly plan: string
}

/** What an application has, and whether it had that before. */
export interface Subscribed {
  readonly developerId: string
  readonly applicationId: string
  readonly isNewApplication: boolean
  /** Those that were asked for; an existing one with the plan that it keeps. */
  readonly subscriptions: readonly (OnboardingSubscription & { readonly isNew: boolean })[]
}

/** The only place of the full key: it cannot be shown again. */
export interface Onboarded extends Subscribed {
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
): Promise<Subscribed> {
  const developer =
    (await stores.developers.findByEmail(email)) ??
    (await stores.developers.create({ email, name: developerName, by }))
  const known = await stores.applications.findByName(developer.id, applicationName)
  const application =
    known ??
    (await stores.applications.create({ developerId: developer.id, name: applicationName, by }))
  const applicationId = application.id
  const active = await stores.subscriptions.list({ applicationId })
  const subscribed: Subscribed['subscriptions'][number][] = []
  for (const { api, version, plan } of subscriptions) {
    const kept = active.find((each) => each.api === api && each.version === version)
    if (kept === undefined) {
      await stores.subscriptions.add({ applicationId, api, version, plan, by })
    }
    subscribed.push({ api, version, plan: kept?.plan ?? plan, isNew: kept === undefined })
  }
  return {
    developerId: developer.id,
    applicationId,
    isNewApplication: known === undefined,
    subscriptions: subscribed,
  }
}
