import type { Command } from 'commander'
import { csvOf } from '../../portal/api/csv.ts'
import type { Indicators } from '../../registry/availability/availability-report.ts'
import {
  type DatedReport,
  readAvailabilityReport,
} from '../../registry/availability/read-report.ts'
import { reportColumns } from '../../registry/availability/report-columns.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawTable } from '../output.ts'
import { publishedVersion } from '../published.ts'
import { chooseOneFormat, parseDay, type ReportOptions } from './options.ts'

interface AvailabilityOptions extends ReportOptions {
  readonly from?: string
  readonly to?: string
  readonly api?: string
  readonly timeZone: string
}

export function registerReportAvailability(command: Command, context: CommandContext): void {
  const { output } = context
  addExamples(command.command('availability'), [
    'tollgate report availability',
    'tollgate report availability --from 2026-10-01 --to 2026-12-31 --time-zone Asia/Jerusalem --csv',
  ])
    .description(
      'Report uptime, downtime, errors and response times of each API version by day and quarter (EBA/GL/2018/07).',
    )
    .option('--from <date>', 'the first day (default: of the quarter of the last)', parseDay)
    .option('--to <date>', 'the last day, included (default: today)', parseDay)
    .option('--time-zone <zone>', 'where midnight is', 'UTC')
    .option('--api <api@version>', 'only this API version')
    .option('--csv', 'print days and quarters as CSV')
    .option('--json', 'print {"days", "quarters", "outages", "maintenance"}')
    .action(async ({ csv, json, ...options }: AvailabilityOptions) => {
      chooseOneFormat(csv, json)
      const report = await read(context, options)
      if (csv === true) {
        // Its last line ends already.
        output.line(csvOf(reportColumns, [...report.days, ...report.quarters]).trimEnd())
        return
      }
      output.result(json, written(report), () => draw(report))
    })
}

async function read(
  context: CommandContext,
  { api, timeZone, from, to }: AvailabilityOptions,
): Promise<DatedReport> {
  const catalogue = await context.catalogue()
  const only = api === undefined ? undefined : publishedVersion(catalogue, api)
  const report = await context.registry((stores) =>
    readAvailabilityReport({
      availability: stores.availability,
      published: only === undefined ? [...catalogue.versions.values()] : [only],
      from,
      to,
      timeZone,
      now: context.now(),
    }).catch((error: unknown) => {
      if (error instanceof RangeError) throw new UsageError(error.message)
      throw error
    }),
  )
  if (only === undefined) return report
  const isAsked = (row: { api: string; version: string }): boolean =>
    row.api === only.api && row.version === only.version
  return {
    ...report,
    days: report.days.filter(isAsked),
    quarters: report.quarters.filter(isAsked),
    outages: report.outages.filter(isAsked),
  }
}

/** Moments as texts. */
export function written(report: DatedReport) {
  return { ...report, outages: report.outages.map(writtenOutage) }
}

/** An outage with its moments as texts. */
export function writtenOutage(outage: DatedReport['outages'][number]) {
  return {
    ...outage,
    from: textOf(outage.from),
    until: outage.until === null ? null : textOf(outage.until),
    answeredCallAt: outage.answeredCallAt === null ? null : textOf(outage.answeredCallAt),
    series: outage.series.map(({ at, id }) => ({ at: textOf(at), id })),
    last: { at: textOf(outage.last.at), id: outage.last.id },
  }
}

function textOf(ms: number): string {
  return new Date(ms).toISOString()
}

function draw({ days, quarters, outages }: DatedReport): string {
  return [
    'By day',
    drawIndicators(days.filter(({ requests, downtimeSeconds }) => requests + downtimeSeconds > 0)),
    'By quarter, as far as the days asked for belong to it',
    drawIndicators(quarters),
    'Outages',
    drawOutages(outages),
  ].join('\n')
}

function drawIndicators(rows: readonly Indicators[]): string {
  return drawTable(rows, {
    period: 'period',
    api: ({ api, version }) => `${api}@${version}`,
    'uptime %': 'uptimePercent',
    'planned down s': 'plannedSeconds',
    'unplanned down s': 'unplannedSeconds',
    requests: 'requests',
    'errors %': 'errorPercent',
    'first byte ms': 'firstByteMs',
    'last byte ms': 'lastByteMs',
    'AIS ms': 'aisMs',
    'PIS ms': 'pisMs',
    'CBPII ms': 'cbpiiMs',
  })
}

/** The outages of a report as a table. */
export function drawOutages(outages: DatedReport['outages']): string {
  return drawTable(outages, {
    from: ({ from }) => textOf(from),
    until: ({ until }) => (until === null ? 'goes on' : textOf(until)),
    seconds: 'seconds',
    planned: 'plannedSeconds',
    api: ({ api, version }) => `${api}@${version}`,
    calls: 'calls',
    'first of five': ({ series }) => series[0]?.id ?? '',
    'fifth of five': ({ series }) => series.at(-1)?.id ?? '',
  })
}
