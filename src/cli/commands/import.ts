import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { ImportOptions } from '../move-rows.ts'

export function registerImport(command: Command, context: CommandContext): void {
  addExamples(command.argument('<file>', 'from `tollgate export`'), [
    'KEY_PEPPER_FILE=data/key-pepper SESSION_SECRET_FILE=data/session-secret DATABASE_URL=postgres://… tollgate import tollgate.jsonl.gz',
    'tollgate import tollgate.jsonl.gz --replace --yes',
  ])
    .description(
      'Bring an export into an empty database, completely or not at all. An export of an earlier release is migrated. Stop all processes of the database first, and give the secrets that the old ones had. On PostgreSQL, use the role that owns the tables.',
    )
    .option('--replace', 'delete everything that is in the database first')
    .option('--yes', 'with --replace: do not ask; required where no terminal can answer')
    .option('--json', 'print {"file","madeAt","release","tables","rows","counts","migrated"}')
    .action(async (file: string, options: ImportOptions) => {
      const { importDatabase } = await import('../move-rows.ts')
      const { header, counts: brought, ...rest } = await importDatabase(context, file, options)
      const { madeAt, release, audit } = header
      const report = { ...rest, counts: brought.length }
      context.output.result(options.json, { file, madeAt, release, ...report }, () => {
        const migrated =
          report.migrated.length === 0 ? '' : ` Migrated it: ${report.migrated.join(', ')}.`
        return `Imported ${report.rows} rows of ${report.tables} tables, as of ${madeAt}.${migrated}`
      })
      if (options.json === true) return
      const expect = audit === null ? '' : ` --expect ${audit.position}:${audit.hash}`
      context.output.note(`Now run: tollgate audit verify${expect}`)
    })
}
