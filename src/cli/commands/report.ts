import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { registerReportAvailability } from './report-availability.ts'
import { registerReportDowntime } from './report-downtime.ts'
import { registerReportIncident } from './report-incident.ts'
import { registerReportUsage } from './report-usage.ts'

export function registerReport(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate report availability --from 2026-10-01 --to 2026-12-31 --csv > availability.csv',
    'tollgate report incident --from -24h',
  ]).description('Print reports for the regulator, the bank and operators.')
  registerReportAvailability(command, context)
  registerReportIncident(command, context)
  registerReportDowntime(command, context)
  registerReportUsage(command, context)
}
