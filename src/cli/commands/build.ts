import type { Command } from 'commander'
import { createLog } from '../../platform/log/log.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'

export function registerBuild(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate build'])
    .description(
      "Build the portal's page in dist/ if it does not exist yet, and print its folder. A portal does this at startup; for a read-only file system, build it beforehand.",
    )
    .action(async () => {
      const { buildPage } = await import('../../portal/pages/build-page.ts')
      const folder = await buildPage({ log: createLog('warn') })
      context.output.line(folder)
    })
}
