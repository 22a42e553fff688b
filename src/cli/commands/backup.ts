import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { type JsonOption, parseWhole } from './options.ts'

interface BackupOptions extends JsonOption {
  readonly keep?: number
}

export function registerBackup(command: Command, context: CommandContext): void {
  addExamples(command.argument('<folder>', 'where each backup gets a folder of its own'), [
    'tollgate backup /var/backups/tollgate',
    'tollgate backup /var/backups/tollgate --keep 14',
  ])
    .description(
      'Back up while Tollgate runs: an export of the database with the counts of limits, a copy of CONFIG_DIR, and a manifest with digests. The backup contains no secrets: keep them elsewhere. On PostgreSQL, use the role that owns the tables.',
    )
    .option('--keep <count>', 'then remove all but this many backups in the folder', (text) =>
      parseWhole(text, 1, 10_000),
    )
    .option('--json', 'print {"folder","madeAt","rows","audit","missing","removed"}')
    .action(async (into: string, { keep, json }: BackupOptions) => {
      const [{ makeBackup, removeOldBackups }, { reportMissing }] = await Promise.all([
        import('../backup-folder.ts'),
        import('../move-rows.ts'),
      ])
      const { folder, manifest, hasFailed } = await makeBackup(context, into)
      const removed = keep === undefined ? [] : await removeOldBackups(into, keep)
      const { madeAt, rows, audit, missing } = manifest
      context.output.result(json, { folder, madeAt, rows, audit, missing, removed }, () => {
        const older = removed.length === 0 ? '' : ` Removed ${removed.length} older ones.`
        return `Backed up ${rows} rows and the configuration to ${folder}, as of ${madeAt}.${older}`
      })
      if (json !== true) {
        context.output.note(
          'It holds personal data. KEY_PEPPER, SESSION_SECRET and IDENTITY_PRIVATE_KEY are not in it: keep them elsewhere.',
        )
      }
      reportMissing(context, { missing, hasFailed })
    })
}
