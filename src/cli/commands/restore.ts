import { join } from 'node:path'
import type { Command } from 'commander'
import type { ConfigOutcome } from '../backup-folder.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { ImportOptions } from '../move-rows.ts'

export function registerRestore(command: Command, context: CommandContext): void {
  addExamples(command.argument('<folder>', 'one backup'), [
    'tollgate restore /var/backups/tollgate/tollgate-20261124T020000Z',
    'tollgate restore /var/backups/tollgate/tollgate-20261124T020000Z --replace',
  ])
    .description(
      'Load a backup into an empty database after checking every digest. Also copies the configuration if CONFIG_DIR is missing or empty. First stop all processes, and set the secrets that they had.',
    )
    .option('--replace', 'delete everything that is in the database first')
    .option('--yes', 'with --replace: do not ask; required where no terminal can answer')
    .option(
      '--json',
      'print {"madeAt","release","tables","rows","counts","countsMissing","migrated","config"}',
    )
    .action(async (folder: string, options: ImportOptions) => {
      const [
        { exportName, readBackup, restoreConfig },
        { importDatabase },
        { reportMissingCounts },
      ] = await Promise.all([
        import('../backup-folder.ts'),
        import('../move-rows.ts'),
        import('../carry-counts.ts'),
      ])
      const manifest = await readBackup(folder)
      const file = join(folder, exportName)
      const { counts, header, ...rest } = await importDatabase(context, file, options)
      const { configDir } = context.settings()
      const config = await restoreConfig(folder, manifest, configDir)
      const { madeAt, release, audit } = header
      const counted = { counts: counts.done, countsMissing: counts.missing }
      const report = { madeAt, release, ...rest, ...counted, config }
      context.output.result(options.json, report, () => {
        const words: Readonly<Record<ConfigOutcome, string>> = {
          same: `${configDir} is as it was then.`,
          copied: `The configuration is in ${configDir}.`,
          differs: `${configDir} differs from ${join(folder, 'config')} and stays as it is.`,
        }
        return `Restored ${rest.rows} rows, as of ${madeAt}. ${words[config]}`
      })
      if (options.json !== true) {
        const expect = audit === null ? '' : ` --expect ${audit.position}:${audit.hash}`
        context.output.note(`Now run: tollgate audit verify${expect}`)
      }
      reportMissingCounts(context, file, counts)
    })
}
