import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

export function registerReload(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate check && tollgate reload'])
    .description(
      'Apply changed API documents, plans, certificates, authorities and revocation lists in all running processes. Invalid files change nothing. Within a second, every process reads the files of its own machine; the metrics gateway_config_generation, gateway_config_reloads_total and gateway_files_refused show the outcome.',
    )
    .option('--json', 'print {"versions","plans"}')
    .action(async ({ json }: JsonOption) => {
      const catalogue = await context.catalogue()
      await context.registry((stores) =>
        stores.changes.announce({ kind: 'configuration', action: 'reload' }, { by: context.actor }),
      )
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
