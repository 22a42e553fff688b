import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accountsCommand } from '../backend/sandbox/accounts-command.ts'
import { createSeededConsent } from '../backend/sandbox/create-seeded-consent.ts'
import { type ApiVersion, type Catalogue, versionKey } from '../catalogue/catalogue.ts'
import { dataDirSetting } from '../platform/database/data-folder.ts'
import type { Database } from '../platform/database/database.ts'
import { commandName } from '../platform/process/command-name.ts'
import { hasSandbox } from '../platform/settings/sandbox.ts'
import type { Role, Settings } from '../platform/settings/settings.ts'
import { mailsPlace } from '../portal/mail/mailbox.ts'
import { subscribeApplication } from '../portal/stores/accounts/onboard.ts'
import { openPortalStores } from '../portal/stores/portal-stores.ts'
import type { KeyStores } from '../registry/key-stores.ts'
import type { Addresses } from './addresses.ts'
import type { Services } from './services.ts'

export interface WelcomeOptions {
  readonly settings: Settings
  readonly roles: ReadonlySet<Role>
  /** Whether a person will see the text. */
  readonly isTerminal: boolean
  readonly catalogue: Catalogue
  readonly services: Pick<Services, 'registry' | 'peppers'>
  readonly database: Database
  readonly addresses: Addresses
}

/**
 * The text after the ready line: on a terminal the addresses and one next
 * command. In an embedded installation each start also makes a demonstration
 * until one was shown, and returns the text for it without a terminal, too.
 */
export async function welcomeText(options: WelcomeOptions): Promise<string | undefined> {
  const { settings, roles, isTerminal, addresses } = options
  const isDemonstrated = roles.has('backend') && settings.databaseUrl === undefined
  const made = isDemonstrated ? await makeDemonstration(options) : undefined
  const gateway = addresses.gateway()
  if (!isTerminal) return made && unattendedText(gateway, made, options)
  const [text, command] = nextStep(options, made)
  return `\n${placesText(options)}\n\nNext: ${text}\n\n  ${command}\n`
}

/** The addresses that a person opens or calls, one in a row. */
export function placesText({
  settings,
  roles,
  addresses,
}: Pick<WelcomeOptions, 'settings' | 'roles' | 'addresses'>): string {
  const portal = roles.has('portal') ? addresses.portal() : undefined
  const places = [
    ['Portal', portal],
    ['Gateway', addresses.gateway()],
    ['Bank', addresses.sca()],
    ['Emails', portal && mailsPlace(settings, portal)],
  ]
  const rows = places.flatMap(([name = '', place]) =>
    place === undefined ? [] : [`  ${name.padEnd(8)} ${place}`],
  )
  return rows.join('\n')
}

/** What the first start of an embedded installation creates. */
interface Demonstration {
  /** Undefined when no person could see it. */
  readonly key: string | undefined
  readonly consentId: string
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
async function makeDemonstration(options: WelcomeOptions): Promise<Demonstration | undefined> {
  const { catalogue, services, database, settings, isTerminal } = options
  const timeZone = settings.bankTimeZone
  if (await wasWelcomed(settings.dataDir)) return undefined
  const stores = { ...services.registry, ...openPortalStores({ database, ...services }) }
  const developers = await stores.developers.list({ limit: 2 })
  if (developers.some((developer) => developer.email !== email)) return undefined
  const subscriptions = [...catalogue.versions.values()].flatMap(({ api, version, plans }) => {
    const [plan] = plans
    return plan === undefined ? [] : [{ api, version, plan }]
  })
  const by = 'system'
  for (const { id } of developers) await revokeUnused(stores, id, by)
  const { applicationId } = await subscribeApplication(stores, {
    email,
    developerName: 'Demo Developer',
    applicationName,
    subscriptions,
    by,
  })
  const consentId = await createSeededConsent({ database, applicationId, now: Date.now, timeZone })
  const issued = isTerminal ? await stores.keys.issue({ applicationId, by }) : undefined
  return { key: issued?.key, consentId }
}

/** Records that the demonstration was shown; later starts create no other. */
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
  stores: Pick<KeyStores, 'applications' | 'keys'>,
  developerId: string,
  by: string,
): Promise<void> {
  const application = await stores.applications.findByName(developerId, applicationName)
  if (application === undefined) return
  for (const { id, lastUsedAt } of await stores.keys.list({ applicationId: application.id })) {
    if (lastUsedAt === null) await stores.keys.revoke({ id, by })
  }
}

/** What to do next, and the command for it. */
function nextStep(
  { settings, roles, addresses, catalogue }: WelcomeOptions,
  made: Demonstration | undefined,
): [string, string] {
  if (made?.key !== undefined) {
    return [
      'read the accounts of Noa Levi, a customer of the sandbox bank. The key appears only now.',
      accountsCommand({ ...made, gateway: addresses.gateway(), key: made.key }),
    ]
  }
  const onboard = onboardCommand(settings.dataDir, catalogue)
  if (!roles.has('backend') || !hasSandbox(settings, roles)) {
    return ['open the portal. For a key of the demo application, run:', onboard]
  }
  return [
    'open the portal. For a new key and consent of the demo application, and a call that uses them, run:',
    `${onboard} --consent`,
  ]
}

/**
 * The text of the first start without a terminal. A log keeps everything, so
 * this text contains no key but the command that issues one.
 */
function unattendedText(
  gateway: string,
  { consentId }: Demonstration,
  { settings, catalogue }: WelcomeOptions,
): string {
  const key = `$(${onboardCommand(settings.dataDir, catalogue)} --json | sed 's/.*"key":"//; s/".*//')`
  return `
The demo application is ready. This command makes a key for it and reads the accounts of Noa Levi, a customer of the sandbox bank:

  ${accountsCommand({ gateway, key, consentId })}
`
}

/** A command that prints a new key of the demo application, even if the application exists already. */
function onboardCommand(dataDir: string, { versions }: Pick<Catalogue, 'versions'>): string {
  const all = [...versions.values()]
  // A consent needs an API with accounts.
  const last = all.findLast(hasAccounts) ?? all.at(-1)
  const named = last === undefined ? '' : ` --api ${versionKey(last.api, last.version)}`
  return `${dataDirSetting(dataDir)}${commandName()} onboard --email ${email} --application '${applicationName}'${named}`
}

function hasAccounts({ operations }: ApiVersion): boolean {
  return operations.some(({ id }) => id === 'listAccounts')
}
