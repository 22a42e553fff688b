import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accountsCommand } from './backend/sandbox/accounts-command.ts'
import { createSeededConsent } from './backend/sandbox/create-seeded-consent.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { subscribeApplication } from './gateway/registry/onboard.ts'
import type { RegistryStores } from './gateway/registry/stores.ts'
import { dataDirSetting } from './platform/data-folder.ts'
import type { Database } from './platform/database.ts'

/** What the first start of an embedded installation creates. */
export interface Demonstration {
  /** Undefined when no person could see it. */
  readonly key: string | undefined
  readonly consentId: string
}

export interface DemonstrationOptions {
  readonly catalogue: Catalogue
  readonly stores: RegistryStores
  readonly database: Database
  /** The data folder. */
  readonly dataDir: string
  /** Time zone of the bank, by its IANA name. */
  readonly timeZone: string
  /** Whether a person will see the key. */
  readonly issuesKey: boolean
}

const email = 'demo@tollgate.example'
const applicationName = 'Demo Application'

/** Name of the file in the data folder that marks a demonstration as shown. */
const markName = 'welcomed'

/**
 * Creates a demo developer with an application, subscriptions to every API
 * version, a key and a valid consent. Every start does so until a demonstration
 * was shown (`noteWelcomed`) or another developer is registered. A start that
 * ended before it showed its key leaves a key that no person knows. The next
 * start revokes that key and issues another.
 *
 * @returns undefined when there is nothing to show
 */
export async function makeDemonstration(
  options: DemonstrationOptions,
): Promise<Demonstration | undefined> {
  const { catalogue, stores, database, dataDir, timeZone, issuesKey } = options
  if (await wasWelcomed(dataDir)) return undefined
  const developers = await stores.developers.list({ limit: 2 })
  if (developers.some((developer) => developer.email !== email)) return undefined
  const subscriptions = [...catalogue.versions.values()].flatMap(({ api, version, plans }) => {
    const [plan] = plans
    return plan === undefined ? [] : [{ api, version, plan }]
  })
  const by = 'first-start'
  for (const { id } of developers) await revokeUnused(stores, id, by)
  const { applicationId } = await subscribeApplication(stores, {
    email,
    developerName: 'Demo Developer',
    applicationName,
    subscriptions,
    by,
  })
  const consentId = await createSeededConsent({ database, applicationId, now: Date.now, timeZone })
  const issued = issuesKey ? await stores.keys.issue({ applicationId, by }) : undefined
  return { key: issued?.key, consentId }
}

/** Records that the demonstration was shown; later starts make no other. */
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

/** A key that was used is known to a person, whatever the mark says. */
async function revokeUnused(
  stores: RegistryStores,
  developerId: string,
  by: string,
): Promise<void> {
  const application = await stores.applications.findByName(developerId, applicationName)
  if (application === undefined) return
  for (const { id, lastUsedAt } of await stores.keys.list({ applicationId: application.id })) {
    if (lastUsedAt === null) await stores.keys.revoke({ id, by })
  }
}

/** The addresses a person needs. */
export interface Places {
  readonly gateway: string
  readonly portal: string | undefined
  /** The bank's approval pages. */
  readonly bank: string | undefined
  /** The mailbox, or the folder with the mails; undefined when a mail server sends them. */
  readonly mails: string | undefined
}

export interface TerminalTextOptions {
  readonly places: Places
  /** Undefined: a later start. */
  readonly made: Demonstration | undefined
  readonly dataDir: string
  /** Whether commands of this installation reach the sandbox bank. */
  readonly hasSandbox: boolean
}

/** The block that a start shows on a terminal: addresses and one next command. */
export function terminalText({ places, made, dataDir, hasSandbox }: TerminalTextOptions): string {
  const rows = [
    ['Portal', places.portal],
    ['Gateway', places.gateway],
    ['Bank', places.bank],
    ['Emails', places.mails],
  ].flatMap(([name = '', place]) => (place === undefined ? [] : [`  ${name.padEnd(8)} ${place}`]))
  const [text, command] = nextStep({ places, made, dataDir, hasSandbox })
  return `\n${rows.join('\n')}\n\nNext: ${text}\n\n  ${command}\n`
}

function nextStep({ places, made, dataDir, hasSandbox }: TerminalTextOptions): [string, string] {
  const { gateway } = places
  if (made?.key !== undefined) {
    return [
      'read the accounts of Noa Levi, a customer of the sandbox bank. The key appears only now.',
      accountsCommand({ ...made, gateway, key: made.key }),
    ]
  }
  const onboard = onboardCommand(dataDir)
  if (!hasSandbox) return ['open the portal. For a key of the demo application, run:', onboard]
  return [
    'open the portal. For a new key and consent of the demo application, and a call that uses them, run:',
    `${onboard} --consent`,
  ]
}

/**
 * The text of the first start without a terminal. A log keeps everything, so
 * this text contains no key but the command that issues one.
 */
export function unattendedText(
  { gateway }: Places,
  { consentId }: Demonstration,
  dataDir: string,
): string {
  const key = `$(${onboardCommand(dataDir)} --json | sed 's/.*"key":"//; s/".*//')`
  return `
The demo application is ready. This command makes a key for it and reads the accounts of Noa Levi, a customer of the sandbox bank:

  ${accountsCommand({ gateway, key, consentId })}
`
}

/** A command that prints a new key of the demo application, even if the application exists already. */
function onboardCommand(dataDir: string): string {
  return `${dataDirSetting(dataDir)}npx tollgate onboard --email ${email} --application '${applicationName}' --api xs2a@1.7.0`
}
