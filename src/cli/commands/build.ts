import type { Command } from 'commander'
import { buildPage } from '../../gateway/portal/pages/build-page.ts'
import { createLog } from '../../platform/log.ts'
import type { CommandContext } from '../context.ts'

export function registerBuild(program: Command, context: CommandContext): void {
  program
    .command('build')
    .summary("build the portal's page")
    .description(
      "Builds the portal's page into dist/, unless it is there already. A portal does so by itself when it starts; an image, whose files cannot be written, has it built before.",
    )
    .action(async () => {
      const folder = await buildPage({ log: createLog('warn') })
      context.output.line(folder)
    })
}
