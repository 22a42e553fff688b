import type { Command } from 'commander'
import { csvOf } from '../../portal/api/csv.ts'
import type { ReportedOutage } from '../../registry/availability/availability-report.ts'
import type { OutageSecond } from '../../registry/availability/outage-rule.ts'
import { readAvailabilityReport } from '../../registry/availability/read-report.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, drawTable } from '../output.ts'
import { chooseOneFormat, earlierForms, parseEarlierMoment, type ReportOptions } from './options.ts'
import { writtenOutage } from './report-availability.ts'

interface IncidentOptions extends ReportOptions {
  readonly from: Date
  readonly to?: Date
  readonly seconds?: boolean
}

/** What one application saw of an outage. */
interface Affected {
  readonly applicationId: string | null
  /** Null: deleted, or not known to the gateway. */
  readonly name: string | null
  readonly outcome: string
  readonly calls: number
}

interface Incident {
  readonly outage: ReportedOutage
  readonly affected: readonly Affected[]
  readonly bySecond: readonly OutageSecond[] | undefined
}

export function registerReportIncident(command: Command, context: CommandContext): void {
  const { output } = context
  const parse = (text: string) => parseEarlierMoment(text, context.now())
  addExamples(command.command('incident'), [
    'tollgate report incident --from -24h',
    'tollgate report incident --from 2026-11-24T10:00:00Z --to 2026-11-24T11:00:00Z --seconds --json',
  ])
    .description(
      'Report the outages in a period: start, end, applications affected, calls and their outcomes.',
    )
    .requiredOption('--from <time>', `outages that end after this time (${earlierForms})`, parse)
    .option('--to <time>', 'and begin before this time (default: now)', parse)
    .option('--seconds', 'name the first unanswered call of each second')
    .option('--csv', 'print a line for each application and outcome')
    .option('--json', 'print {"items"}')
    .action(async ({ csv, json, ...options }: IncidentOptions) => {
      chooseOneFormat(csv, json)
      const incidents = await read(context, options)
      if (csv === true) output.line(toCsv(incidents).trimEnd())
      else output.result(json, { items: incidents.map(toJson) }, () => draw(incidents))
    })
}

function read(context: CommandContext, options: IncidentOptions): Promise<Incident[]> {
  const { from, to = new Date(context.now()), seconds } = options
  return context.registry(async ({ availability, applications }) => {
    const { outages } = await readAvailabilityReport({
      availability,
      published: [],
      from: from.toISOString().slice(0, 10),
      to: to.toISOString().slice(0, 10),
      timeZone: 'UTC',
      now: context.now(),
    })
    const overlapping = outages.filter(
      (outage) => outage.from < to.getTime() && (outage.until ?? Infinity) > from.getTime(),
    )
    const names = new Map<string, string | null>()
    const incidents: Incident[] = []
    for (const outage of overlapping) {
      const affected: Affected[] = []
      for (const [id, outcomes] of Object.entries(outage.applications)) {
        if (!names.has(id) && id !== '') names.set(id, (await applications.find(id))?.name ?? null)
        const name = names.get(id) ?? null
        for (const [outcome, calls] of Object.entries(outcomes)) {
          affected.push({ applicationId: id === '' ? null : id, name, outcome, calls })
        }
      }
      affected.sort((a, b) => b.calls - a.calls)
      const bySecond = seconds === true ? await availability.seconds(outage) : undefined
      incidents.push({ outage, affected, bySecond })
    }
    return incidents
  })
}

function toJson({ outage, affected, bySecond }: Incident) {
  const { applications: _, ...rest } = writtenOutage(outage)
  return {
    ...rest,
    affected,
    ...(bySecond === undefined ? {} : { bySecond: bySecond.map(moment) }),
  }
}

function moment({ second, calls, firstId }: OutageSecond) {
  return { at: new Date(second * 1_000).toISOString(), calls, firstId }
}

function toCsv(incidents: readonly Incident[]): string {
  const columns = [
    ...(['from', 'until', 'seconds', 'plannedSeconds', 'api', 'version'] as const),
    ...(['applicationId', 'name', 'outcome', 'calls', 'firstId', 'fifthId', 'lastId'] as const),
  ] as const
  return csvOf(
    columns,
    incidents.flatMap(({ outage, affected }) =>
      affected.map((one) => ({
        from: new Date(outage.from).toISOString(),
        until: outage.until === null ? null : new Date(outage.until).toISOString(),
        seconds: outage.seconds,
        plannedSeconds: outage.plannedSeconds,
        api: outage.api,
        version: outage.version,
        ...one,
        firstId: outage.series[0]?.id ?? null,
        fifthId: outage.series.at(-1)?.id ?? null,
        lastId: outage.last.id,
      })),
    ),
  )
}

function draw(incidents: readonly Incident[]): string {
  if (incidents.length === 0) return 'no outage'
  return incidents
    .map(({ outage, affected, bySecond }) => {
      const { api, version, from, until, seconds, plannedSeconds, calls, series, last } = outage
      return [
        drawFields({
          api: `${api}@${version}`,
          from: new Date(from),
          until: until === null ? 'goes on' : new Date(until),
          seconds,
          'planned seconds': plannedSeconds,
          'calls not answered': calls,
          'first five': series.map(({ id }) => id).join('\n'),
          last: last.id,
        }),
        drawTable(affected, {
          application: ({ name, applicationId }) => name ?? applicationId ?? '(unknown)',
          outcome: 'outcome',
          calls: 'calls',
        }),
        ...(bySecond === undefined
          ? []
          : [drawTable(bySecond.map(moment), { second: 'at', calls: 'calls', first: 'firstId' })]),
      ].join('\n')
    })
    .join('\n\n')
}
