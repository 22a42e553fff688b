import { randomUUID } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  /** The data folder. */
  readonly dataDir: string
  /** IANA zone of the bank. */
  readonly timeZone: string
}

const email = 'demo@tollgate.example'

/** Name of the file in the data folder that says that a demonstration was shown. */
const markName = 'welcomed'

/**
 * Makes a demo developer with an application, its subscriptions to every API
 * version, a key and a valid consent, until one was shown (`noteWelcomed`) or
 * somebody else is registered. A start that ended before it showed its key
 * leaves one that nobody knows: it is revoked, and there is a new one.
 *
 * @returns undefined when there is nothing to show
 */
export async function makeDemonstration(
  options: DemonstrationOptions,
): Promise<Demonstration | undefined> {
  const { catalogue, stores, database, dataDir, timeZone } = options
  if (await wasWelcomed(dataDir)) return undefined
  const developers = await stores.developers.list({ limit: 2 })
  if (developers.some((developer) => developer.email !== email)) return undefined
  const subscriptions = [...catalogue.versions.values()].flatMap(({ api, version, plans }) => {
    const [plan] = plans
    return plan === undefined ? [] : [{ api, version, plan }]
  })
  const by = 'first-start'
  const developerName = 'Demo Developer'
  const applicationName = 'Demo Application'
  for (const { id } of developers) await revokeUnused(stores, id, applicationName, by)
  const { applicationId, key } = await onboard(stores, {
    email,
    developerName,
    applicationName,
    subscriptions,
    by,
  })
  const consentId = await createSeededConsent({ database, applicationId, now: Date.now, timeZone })
  return { key, consentId }
}

/** Notes that the demonstration was shown: the next start makes none. */
export async function noteWelcomed(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, markName), '', { mode: 0o600 })
}

async function wasWelcomed(dataDir: string): Promise<boolean> {
  try {
    await access(join(dataDir, markName))
    return true
  } catch {
    return false
  }
}

/** A key in use was seen by somebody, whatever the mark says. */
async function revokeUnused(
  stores: RegistryStores,
  developerId: string,
  applicationName: string,
  by: string,
): Promise<void> {
  const application = await stores.applications.findByName(developerId, applicationName)
  if (application === undefined) return
  for (const { id, lastUsedAt } of await stores.keys.list({ applicationId: application.id })) {
    if (lastUsedAt === null) await stores.keys.revoke({ id, by })
  }
}

/** The friendly block of the first start, ending in a line that works as pasted. */
export function demonstrationText(
  { key, consentId }: Demonstration,
  urls: { readonly gateway: string; readonly portal: string | undefined },
  /** Folder of the mails; undefined: they are sent. */
  mailsDir: string | undefined,
): string {
  const mails = mailsDir === undefined ? '' : ` (its mails are files in ${mailsDir})`
  return `
Welcome to Tollgate. A demo application is subscribed to every API version.
${urls.portal === undefined ? '' : `The APIs, and where to sign up for keys of your own: ${urls.portal}/${mails}\n`}Its key is shown this once. Read the accounts of Noa Levi, who lives in the sandbox:

  curl ${urls.gateway}/v1.7.0/accounts -H 'X-API-Key: ${key}' -H 'X-Request-ID: ${randomUUID()}' -H 'Consent-ID: ${consentId}' -H 'PSU-IP-Address: 127.0.0.1'

`
}
