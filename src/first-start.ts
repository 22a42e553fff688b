import { randomUUID } from 'node:crypto'
import { createSeededConsent } from './backend/sandbox/create-seeded-consent.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { onboard } from './gateway/registry/onboard.ts'
import type { RegistryStores } from './gateway/registry/stores.ts'
import type { Database } from './platform/database.ts'

/** What the very first start of an embedded installation made, to be shown once. */
export interface Demonstration {
  readonly key: string
  readonly consentId: string
}

export interface DemonstrationOptions {
  readonly catalogue: Catalogue
  readonly stores: RegistryStores
  readonly database: Database
  /** IANA zone of the bank. */
  readonly timeZone: string
}

/**
 * Makes a demo developer with an application, its subscriptions to every API
 * version, a key and a valid consent, when the registry has no developer yet.
 *
 * @returns undefined when this is not the first start
 */
export async function makeDemonstration(
  options: DemonstrationOptions,
): Promise<Demonstration | undefined> {
  const { catalogue, stores, database, timeZone } = options
  if ((await stores.developers.list({ limit: 1 })).length > 0) return undefined
  const subscriptions = [...catalogue.versions.values()].flatMap(({ api, version, plans }) => {
    const [plan] = plans
    return plan === undefined ? [] : [{ api, version, plan }]
  })
  const { applicationId, key } = await onboard(stores, {
    email: 'demo@tollgate.example',
    developerName: 'Demo Developer',
    applicationName: 'Demo Application',
    subscriptions,
    by: 'first-start',
  })
  const consentId = await createSeededConsent({ database, applicationId, now: Date.now, timeZone })
  return { key, consentId }
}

/** The friendly block of the first start, ending in a line that works as pasted. */
export function demonstrationText(
  { key, consentId }: Demonstration,
  urls: { readonly gateway: string; readonly portal: string | undefined },
): string {
  return `
Welcome to Tollgate. A demo application is subscribed to every API version.
${urls.portal === undefined ? '' : `The APIs and their documents: ${urls.portal}/\n`}Its key is shown this once. Read the accounts of Noa Levi, who lives in the sandbox:

  curl ${urls.gateway}/v1.7.0/accounts -H 'X-API-Key: ${key}' -H 'X-Request-ID: ${randomUUID()}' -H 'Consent-ID: ${consentId}' -H 'PSU-IP-Address: 127.0.0.1'

`
}
