import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { refuseTakingAway } from '../taking-away.ts'
import type { JsonOption } from './options.ts'

export function registerReload(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate check && tollgate reload'])
    .description(
      'Apply changed API documents, plans, certificates, authorities and revocation lists in all running processes. Invalid files change nothing, and without --force files that lack a version, an operation or a plan with subscriptions (exit code 3). Within a second, every process reads the files of its own machine; the metrics gateway_config_generation, gateway_config_reloads_total and gateway_files_refused show the outcome.',
    )
    .option('--force', 'take away what applications use, too')
    .option('--json', 'print {"versions","plans"}')
    .action(async ({ force, json }: JsonOption & { readonly force?: boolean }) => {
      const catalogue = await context.catalogue()
      await context.registry(async (stores) => {
        if (force !== true) await refuseTakingAway({ stores, context, proposed: catalogue })
        await stores.changes.announce(
          { kind: 'configuration', action: 'reload' },
          { by: context.actor },
        )
      })
      const versions = [...catalogue.versions.keys()]
      const plans = [...catalogue.plans.keys()]
      context.output.result(
        json,
        { versions, plans },
        () =>
          `The configuration is valid (${versions.join(', ')}; plans ${plans.join(', ')}) and every running process now reads it.`,
      )
    })
}
