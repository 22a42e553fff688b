import { type Command, Option } from 'commander'
import { csvOf } from '../../portal/api/csv.ts'
import { dayOf } from '../../portal/mail/utc-time.ts'
import {
  type ReportedUsage,
  type ReportSubject,
  reportSubjects,
} from '../../registry/usage/usage-report.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawTable } from '../output.ts'
import { chooseOneFormat, parseDay, type ReportOptions } from './options.ts'

interface UsageOptions extends ReportOptions {
  readonly from: string
  readonly to?: string
  readonly by: ReportSubject
}

type Column = keyof ReportedUsage

/** What names a row of each subject. */
const names: Readonly<Record<ReportSubject, readonly Column[]>> = {
  application: ['applicationId', 'applicationName', 'developerEmail'],
  operation: ['api', 'version', 'operation'],
  version: ['api', 'version'],
  day: ['day'],
}
const numbers = ['allowed', 'refused', 'refusedByLimit', 'errors', 'averageMs'] as const

export function registerReportUsage(command: Command, context: CommandContext): void {
  const { output } = context
  addExamples(command.command('usage'), [
    'tollgate report usage --from 2026-11-01 --to 2026-11-30',
    'tollgate report usage --from 2026-11-01 --to 2026-11-30 --by operation --csv > usage.csv',
  ])
    .description(
      'Report the calls of all applications by application, operation, version or day. Days are in UTC and kept for 400 days. Calls of deleted applications are missing.',
    )
    .requiredOption('--from <date>', 'the first day', parseDay)
    .option('--to <date>', 'the last day, included (default: today)', parseDay)
    .addOption(
      new Option('--by <subject>', 'what has a row').choices(reportSubjects).default('application'),
    )
    .option('--csv', 'print CSV')
    .option('--json', 'print {"from", "to", "items"}')
    .action(async ({ from, to = dayOf(context.now()), by, csv, json }: UsageOptions) => {
      chooseOneFormat(csv, json)
      if (from > to) throw new UsageError('--from is after --to')
      const rows = await context.registry((stores) => stores.usageReport.list({ from, to, by }))
      const columns: readonly Column[] = [...names[by], ...numbers]
      if (csv === true) {
        // Its last line ends already.
        output.line(csvOf(columns, rows).trimEnd())
        return
      }
      output.result(json, { from, to, items: rows.map((row) => only(row, columns)) }, () =>
        drawTable(rows, Object.fromEntries(columns.map((column) => [column, column]))),
      )
    })
}

/** The members of a row that belong to its subject. */
function only(row: ReportedUsage, columns: readonly Column[]): object {
  return Object.fromEntries(columns.map((column) => [column, row[column]]))
}
