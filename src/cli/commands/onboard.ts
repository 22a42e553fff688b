import type { Command } from 'commander'
import { type Onboarded, type Onboarding, onboard } from '../../gateway/registry/onboard.ts'
import { RegistryConflict } from '../../gateway/registry/registry-errors.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import type { CommandContext } from '../context.ts'
import { drawFields } from '../output.ts'
import { choose } from '../published.ts'
import { withRegistry } from '../registry-session.ts'

interface OnboardOptions {
  readonly email: string
  readonly name: string
  readonly application: string
  readonly api: readonly string[]
  readonly plan?: string
  readonly json?: boolean
}

export function registerOnboard(program: Command, context: CommandContext): void {
  program
    .command('onboard')
    .summary('make developer, application, subscriptions and a key in one go')
    .description(
      'Makes what a first call needs. Developer and application of that name are used when they exist, missing subscriptions are added, the key is always new and shown only now.',
    )
    .requiredOption('--email <email>', 'of the developer')
    .option('--name <name>', 'of the developer, when it is new', '')
    .requiredOption('--application <name>', 'name of the application')
    .requiredOption('--api <api@version...>', 'API versions to subscribe to (e.g. xs2a@1.7.0)')
    .option('--plan <plan>', 'plan of the new subscriptions')
    .option('--json', 'print {"developerId","applicationId","keyId","key"}')
    .action(async (options: OnboardOptions) => {
      const catalogue = await context.catalogue()
      const subscriptions = options.api.map((text) =>
        choose({ catalogue, text, plan: options.plan, now: context.now() }),
      )
      const onboarded = await withRegistry(context.settings(), (stores) =>
        onboardTogether(stores, {
          email: options.email,
          developerName: options.name,
          applicationName: options.application,
          subscriptions,
          by: context.actor,
        }),
      )
      context.output.result(options.json, onboarded, () => drawFields({ ...onboarded }))
      if (options.json !== true) context.output.note('The key is shown only now. Keep it safe.')
    })
}

/** Two who onboard the same names at once both find nothing; the slower one then finds what the other made. */
async function onboardTogether(stores: RegistryStores, input: Onboarding): Promise<Onboarded> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await onboard(stores, input)
    } catch (error) {
      const isRace =
        error instanceof RegistryConflict &&
        ['email-taken', 'name-taken', 'already-subscribed'].includes(error.rule)
      if (!isRace || attempt === 5) throw error
    }
  }
}
