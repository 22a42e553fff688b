import type { Command } from 'commander'
import { accountsCommand } from '../../backend/sandbox/accounts-command.ts'
import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { nearestName } from '../../platform/edit-distance.ts'
import { type Onboarded, type Onboarding, onboard } from '../../portal/stores/accounts/onboard.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import { RegistryConflict } from '../../registry/registry-errors.ts'
import { findAddresses } from '../addresses.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, printable } from '../output.ts'
import { choose } from '../published.ts'
import { requireSandbox } from '../require-sandbox.ts'

interface OnboardOptions {
  readonly email: string
  readonly name?: string
  readonly application: string
  readonly api: readonly string[]
  readonly plan?: string
  /** Create a consent, too. */
  readonly consent?: boolean
  readonly json?: boolean
}

export function registerOnboard(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate onboard --email anna@example.com --application "Budget app" --api xs2a@1.7.0 mandate@1.0.0',
    'tollgate onboard --email anna@example.com --application "Budget app" --api xs2a@1.7.0 --consent',
    'tollgate onboard --email anna@example.com --application "Budget app" --api xs2a@1.7.0 --json',
  ])
    .description(
      'Create everything that a first call needs. The command reuses a developer or application of that name, adds missing subscriptions, and always creates a new key. The key is shown only once.',
    )
    .requiredOption('--email <email>', 'email address of the developer')
    .option('--name <name>', 'display name of a new developer')
    .requiredOption('--application <name>', 'name of the application')
    .requiredOption('--api <api@version...>', 'API versions to subscribe to (e.g. xs2a@1.7.0)')
    .option('--plan <plan>', 'plan of the new subscriptions')
    .option(
      '--consent',
      'also create an approved consent of Noa Levi, a customer of the sandbox bank, and print a call that reads her accounts; her earlier consent expires',
    )
    .option(
      '--json',
      'print {"developerId","applicationId","isNewApplication","subscriptions","keyId","key"}, with --consent also "consentId"',
    )
    .action(async (options: OnboardOptions) => {
      const catalogue = await context.catalogue()
      const subscriptions = options.api.map((text) =>
        choose({ catalogue, text, plan: options.plan, now: context.now() }),
      )
      const input = {
        email: options.email,
        developerName: options.name ?? '',
        applicationName: options.application,
        subscriptions,
        by: context.actor,
      }
      const show = (result: Done & { readonly consentId?: string }, end = '') => {
        const { nearest, unserved, ...answer } = result
        const { isNewApplication, subscriptions, ...shown } = answer
        context.output.result(options.json, answer, () => `${drawFields({ ...shown })}${end}`)
        if (options.json === true) return
        context.output.note(
          doneText(options.application, { isNewApplication, subscriptions, nearest }),
        )
        context.output.note('The key is shown only now. Keep it safe.')
        if (unserved.length > 0) {
          context.output.note(
            `The running gateways do not serve ${unserved.join(', ')} yet. Run tollgate reload --wait, or restart them.`,
          )
        }
      }
      if (options.consent !== true) {
        show(await context.registry((stores) => onboardOnce(stores, input)))
        return
      }
      requireSandbox(context)
      const path = accountsPath(catalogue, subscriptions)
      await context.registry(async (stores) => {
        // First: no consent for an application that may have no further key. A new consent ends the earlier one.
        const onboarded = await onboardOnce(stores, input)
        const consentId = await createReadyConsent(context, onboarded.applicationId).catch(
          (cause: unknown) => {
            show(onboarded)
            const text = cause instanceof Error ? cause.message : String(cause)
            throw new CommandError(`the key works, but there is no consent: ${text}`, { cause })
          },
        )
        const { gateway = '$GATEWAY' } = await findAddresses(context.settings())
        const call = accountsCommand({ ...onboarded, consentId, gateway, path })
        show(
          { ...onboarded, consentId },
          `\n\nRead the accounts of Noa Levi, a customer of the sandbox bank:\n\n  ${call}\n`,
        )
      })
    })
}

interface Done extends Onboarded {
  /** An application of the developer that a new one may be a misspelling of. */
  readonly nearest: string | undefined
  /** Versions that it subscribed to and no running gateway has; empty if none runs, or if that cannot be known. */
  readonly unserved: readonly string[]
}

async function onboardOnce(stores: Stores, input: Onboarding): Promise<Done> {
  // First: nothing may fail between a key and its display.
  const unserved = await unservedIn(stores, input.subscriptions)
  const onboarded = { ...(await together(() => onboard(stores, input))), unserved }
  if (!onboarded.isNewApplication) return { ...onboarded, nearest: undefined }
  const { developerId, applicationId } = onboarded
  // Nor may a hint fail here.
  const all = await stores.applications.list({ developerId, limit: 1000 }).catch(() => [])
  const others = all.filter(({ id }) => id !== applicationId).map(({ name }) => name)
  return { ...onboarded, nearest: nearestName(input.applicationName, others) }
}

/** The files of this command may be newer than those that a gateway has read. */
async function unservedIn(
  { processes, publishedConfigurations }: Stores,
  subscriptions: Onboarding['subscriptions'],
): Promise<readonly string[]> {
  const living = (await processes.living()).map(({ digest }) => digest)
  const { readable, unreadable } = await publishedConfigurations.inUse()
  const running = readable.filter(({ digest }) => living.includes(digest))
  // Another release could serve any.
  if (running.length === 0 || unreadable.length > 0) return []
  return subscriptions
    .map(({ api, version }) => versionKey(api, version))
    .filter((key) => !running.some(({ versions }) => versions.has(key)))
}

function doneText(
  application: string,
  {
    isNewApplication,
    subscriptions,
    nearest,
  }: Pick<Done, 'isNewApplication' | 'subscriptions' | 'nearest'>,
): string {
  const other = nearest === undefined ? '' : `; the developer also has "${nearest}"`
  return printable(
    [
      `${isNewApplication ? 'New' : 'Existing'} application "${application}"${other}.`,
      ...subscriptions.map(
        ({ api, version, plan, isNew }) =>
          `${isNew ? 'New' : 'Existing'} subscription to ${versionKey(api, version)} (plan ${plan}).`,
      ),
      isNewApplication ? 'New key.' : 'New key; earlier keys stay valid.',
    ].join(' '),
  )
}

/** The path that lists accounts in the newest of these versions that has it. @throws {CommandError} when none has */
function accountsPath(catalogue: Catalogue, subscriptions: Onboarding['subscriptions']): string {
  const paths = [...catalogue.versions.values()].flatMap(({ api, version, operations }) =>
    subscriptions.some((one) => one.api === api && one.version === version)
      ? operations.filter(({ id }) => id === 'listAccounts').map(({ path }) => path)
      : [],
  )
  const path = paths.at(-1)
  if (path !== undefined) return path
  throw new CommandError('--consent needs an --api with accounts (e.g. xs2a@1.7.0)')
}

async function createReadyConsent(
  { now, settings }: Pick<CommandContext, 'now' | 'settings'>,
  applicationId: string,
): Promise<string> {
  const [{ withBank }, { seedSandbox }, { createSeededConsent }] = await Promise.all([
    import('../bank-session.ts'),
    import('../../backend/sandbox/seed.ts'),
    import('../../backend/sandbox/create-seeded-consent.ts'),
  ])
  return withBank(settings(), async ({ database, timeZone }) => {
    // The bank may not have run yet.
    await seedSandbox({ database, now, timeZone })
    return createSeededConsent({ database, applicationId, now, timeZone })
  })
}

/** Two commands that onboard the same names at once both find nothing; the slower one then finds what the other created. */
async function together<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt()
    } catch (error) {
      const isRace =
        error instanceof RegistryConflict &&
        ['email-taken', 'name-taken', 'already-subscribed'].includes(error.rule)
      if (!isRace || count === 5) throw error
    }
  }
}
