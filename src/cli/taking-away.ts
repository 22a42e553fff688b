import type { Catalogue } from '../catalogue/catalogue.ts'
import { assessDifferences } from '../gateway/operate/plan/assess-plan.ts'
import type { RegistryStores } from '../gateway/registry/stores.ts'
import { breakingExitCode, CommandError } from './command-error.ts'
import { namesOf, subjectOf, verbs } from './commands/plan-text.ts'
import type { CommandContext } from './context.ts'
import { publishedInForce } from './in-force.ts'

export interface TakingAwayOptions {
  readonly stores: RegistryStores
  readonly context: Pick<CommandContext, 'now' | 'settings'>
  readonly proposed: Catalogue
}

/**
 * Refuses a configuration that takes away what applications use: a version, an
 * operation, a plan, or a version of a plan with active subscriptions. Compares
 * with what the gateways have published; where no gateway has noted that, there
 * is nothing to compare with.
 *
 * @throws {CommandError} naming what and who, exit code 3
 */
export async function refuseTakingAway(options: TakingAwayOptions): Promise<void> {
  const { stores, context, proposed } = options
  const inForce = await publishedInForce(stores)
  if (inForce === undefined) return
  const changes = await assessDifferences({ stores, inForce, proposed, nowMs: context.now() })
  const taken = changes.filter(({ change, isBreaking }) => isBreaking && change.harm === 'removes')
  if (taken.length === 0) return
  const lines = taken.map(
    ({ change, applications }) =>
      `  ${verbs[change.kind]}: ${subjectOf(change)}, used by ${namesOf(applications)}`,
  )
  const message = [
    'the files take away what applications use, so nothing is reloaded:',
    ...lines,
    `To see every change and application: tollgate plan ${context.settings().configDir}`,
    'To take it away all the same: tollgate reload --force',
  ]
  throw new CommandError(message.join('\n'), { exitCode: breakingExitCode })
}
