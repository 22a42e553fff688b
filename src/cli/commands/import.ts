import type { Command } from 'commander'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { ImportOptions } from '../move-rows.ts'

export function registerImport(command: Command, context: CommandContext): void {
  addExamples(command.argument('<file>', 'from `tollgate export`'), [
    'KEY_PEPPER_FILE=data/key-pepper SESSION_SECRET_FILE=data/session-secret DATABASE_URL=postgres://… tollgate import tollgate.jsonl.gz',
    'tollgate import tollgate.jsonl.gz --replace --yes',
    'tollgate import --counts-only tollgate.jsonl.gz',
  ])
    .description(
      'Load an export into an empty database, completely or not at all. Migrates an export of an earlier release. First stop all processes that use the database, and set the secrets that the old processes had. On PostgreSQL, use the role that owns the tables.',
    )
    .option('--replace', 'delete everything that is in the database first')
    .option('--yes', 'with --replace: do not ask; required where no terminal can answer')
    .option(
      '--counts-only',
      'bring only the counts of limits, where an import could not; nothing else changes',
    )
    .option(
      '--json',
      'print {"file","madeAt","release","tables","rows","counts","countsMissing","migrated"}; with --counts-only without "tables", "rows" and "migrated"',
    )
    .action(async (file: string, options: ImportOptions) => {
      const { countsOnly = false, replace = false, yes = false, json } = options
      if (countsOnly && replace) throw new UsageError('give --counts-only or --replace, not both')
      if (yes && !replace) throw new UsageError('--yes needs --replace')
      const [{ importCounts, importDatabase }, { reportMissingCounts }] = await Promise.all([
        import('../move-rows.ts'),
        import('../carry-counts.ts'),
      ])
      if (countsOnly) {
        const { header, ...brought } = await importCounts(context, file)
        const { madeAt, release } = header
        const { done, missing } = brought
        const report = { file, madeAt, release, counts: done, countsMissing: missing }
        context.output.result(
          json,
          report,
          () => `Brought the counts of ${done} limits, as of ${madeAt}.`,
        )
        return reportMissingCounts(context, file, brought)
      }
      const { header, counts, ...rest } = await importDatabase(context, file, options)
      const { madeAt, release, audit } = header
      const report = { ...rest, counts: counts.done, countsMissing: counts.missing }
      context.output.result(json, { file, madeAt, release, ...report }, () => {
        const migrated =
          report.migrated.length === 0 ? '' : ` Migrated it: ${report.migrated.join(', ')}.`
        return `Imported ${report.rows} rows of ${report.tables} tables, as of ${madeAt}.${migrated}`
      })
      if (json !== true) {
        const expect = audit === null ? '' : ` --expect ${audit.position}:${audit.hash}`
        context.output.note(`Now run: tollgate audit verify${expect}`)
      }
      reportMissingCounts(context, file, counts)
    })
}
