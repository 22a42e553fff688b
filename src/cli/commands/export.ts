import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

export function registerExport(command: Command, context: CommandContext): void {
  addExamples(command.argument('<file>', 'a new file, which gets mode 0600'), [
    'tollgate export tollgate.jsonl.gz',
    'DATABASE_URL=postgres://tollgate_owner:…@host/tollgate tollgate export tollgate.jsonl.gz',
  ])
    .description(
      'Write everything in the database to one file: developers, applications, keys, usage, the audit log, the sandbox bank and the counts of limits, as of one instant. The file contains personal data, but no secrets from the settings and no sessions. On PostgreSQL, use the role that owns the tables. The embedded database answers no other request meanwhile.',
    )
    .option('--json', 'print {"file","madeAt","tables","rows","counts","audit","missing"}')
    .action(async (file: string, { json }: JsonOption) => {
      const { exportDatabase, reportMissing } = await import('../move-rows.ts')
      const { hasFailed, ...report } = await exportDatabase(context, file)
      context.output.result(
        json,
        { file, ...report },
        () => `Wrote ${report.rows} rows of ${report.tables} tables, as of ${report.madeAt}.`,
      )
      if (json !== true) {
        context.output.note(
          `${file} holds personal data. Keep KEY_PEPPER and SESSION_SECRET elsewhere: they are not in it, and an import needs them.`,
        )
      }
      reportMissing(context, { missing: report.missing, hasFailed })
    })
}
