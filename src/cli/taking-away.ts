import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Stores } from '../portal/stores/stores.ts'
import { breakingExitCode, CommandError } from './command-error.ts'
import { changeLabels, namesOf, subjectOf } from './commands/plan-text.ts'
import type { CommandContext } from './context.ts'
import { assessDifferences } from './plan/assess-plan.ts'

export interface TakingAwayOptions {
  readonly stores: Stores
  readonly context: Pick<CommandContext, 'now' | 'settings'>
  readonly proposed: Catalogue
}

/**
 * Refuses a configuration that takes away what applications use: a version, an
 * operation, a plan, or a version of a plan with active subscriptions. Compares
 * with each configuration that gateways use; where no gateway has noted one,
 * there is nothing to compare with.
 *
 * @throws {CommandError} naming what and who, exit code 3
 */
export async function refuseTakingAway(options: TakingAwayOptions): Promise<void> {
  const { stores, context, proposed } = options
  const { readable, unreadable } = await stores.publishedConfigurations.inUse()
  if (readable.length === 0 && unreadable.length > 0) {
    throw refusal([
      'another release has noted what the gateways publish, and this one cannot read it. So it cannot tell what the files take away, and nothing is reloaded.',
      'Use the tollgate command of the release that the gateways run.',
      'To reload anyway: tollgate reload --force',
    ])
  }
  const lines = new Set<string>()
  for (const inForce of readable) {
    const nowMs = context.now()
    for (const { change, isBreaking, applications } of await assessDifferences({
      stores,
      inForce,
      proposed,
      nowMs,
    })) {
      if (!isBreaking || change.harm !== 'removes') continue
      lines.add(
        `  ${changeLabels[change.kind]}: ${subjectOf(change)}, used by ${namesOf(applications)}`,
      )
    }
  }
  if (lines.size === 0) return
  throw refusal([
    'the files take away what applications use, so nothing is reloaded:',
    ...lines,
    `To see every change and application: tollgate plan ${context.settings().configDir}`,
    'To take it away anyway: tollgate reload --force',
  ])
}

function refusal(lines: readonly string[]): CommandError {
  return new CommandError(lines.join('\n'), { exitCode: breakingExitCode })
}
