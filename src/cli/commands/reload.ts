import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { withRegistry } from '../registry-session.ts'
import type { JsonOption } from './options.ts'

export function registerReload(program: Command, context: CommandContext): void {
  program
    .command('reload')
    .summary('take the configuration into force in all running processes')
    .description(
      'Checks CONFIG_DIR first and changes nothing when it is not valid. Every process then reads the CONFIG_DIR of its own machine within a second; gateway_config_generation and gateway_config_reloads_total tell how it went.',
    )
    .option('--json', 'print {"versions","plans"}')
    .action(async ({ json }: JsonOption) => {
      const catalogue = await context.catalogue()
      await withRegistry(context.settings(), (stores) =>
        stores.changes.announce({ kind: 'configuration', action: 'reload' }, { by: context.actor }),
      )
      const versions = [...catalogue.versions.keys()]
      const plans = [...catalogue.plans.keys()]
      context.output.result(
        json,
        { versions, plans },
        () =>
          `The configuration is valid (${versions.join(', ')}; plans ${plans.join(', ')}) and announced to every running process.`,
      )
    })
}
