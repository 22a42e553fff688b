import type { Command } from 'commander'
import type { MaintenanceWindow } from '../../registry/availability/maintenance.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, drawTable } from '../output.ts'
import { publishedVersion } from '../published.ts'
import { type JsonOption, momentForms, parseEarlierMoment, parseMoment } from './options.ts'

interface AnnounceOptions extends JsonOption {
  readonly api?: string
  readonly from: Date
  readonly until: Date
  readonly reason: string
}

/** A year: what was announced earlier belongs to reports that are made. */
const listedMs = 366 * 86_400_000

export function registerReportDowntime(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const downtime = addExamples(command.command('downtime'), [
    'tollgate report downtime announce --from 2026-12-05T22:00:00Z --until 2026-12-06T02:00:00Z --reason "New core system"',
    'tollgate report downtime list',
  ]).description('Announce maintenance: downtime during it is reported as planned.')

  const parseFuture = (text: string) => parseMoment(text, context.now())
  addExamples(downtime.command('announce'), [
    'tollgate report downtime announce --api xs2a@1.7.0 --from +2d --until 2026-12-06T02:00:00Z --reason "New core system"',
  ])
    .description(
      'Announce maintenance. It counts from now on: downtime before the announcement stays unplanned.',
    )
    .requiredOption('--from <time>', `when it begins (${momentForms})`, parseFuture)
    .requiredOption('--until <time>', `when it ends (${momentForms})`, parseFuture)
    .requiredOption('--reason <text>', 'what is maintained, for the report and the audit log')
    .option('--api <api@version>', 'only this API version (default: all)')
    .option('--json', 'print the announcement')
    .action(async ({ api: text, from, until, reason, json }: AnnounceOptions) => {
      const published =
        text === undefined ? undefined : publishedVersion(await context.catalogue(), text)
      const made = await context.registry((stores) =>
        stores.availability.maintenance.announce({
          api: published?.api,
          version: published?.version,
          from,
          until,
          reason,
          by,
        }),
      )
      output.result(json, made, () => drawFields({ ...made }))
    })

  addExamples(downtime.command('list'), ['tollgate report downtime list'])
    .description('List announced maintenance of the last year and of the future, by its start.')
    .option('--from <time>', 'not before this time', (text) =>
      parseEarlierMoment(text, context.now()),
    )
    .option('--json', 'print {"items"}')
    .action(async ({ from, json }: JsonOption & { from?: Date }) => {
      const range = {
        from: from ?? new Date(context.now() - listedMs),
        to: new Date(context.now() + 10 * listedMs),
      }
      const items = await context.registry((stores) => stores.availability.maintenance.list(range))
      output.result(json, { items }, () => draw(items))
    })

  addExamples(downtime.command('withdraw <id>'), [
    'tollgate report downtime withdraw 5f0c2f0a-5f3f-4f0e-9d1b-6f6f3a0b8c11',
  ])
    .description('Withdraw an announcement: downtime during it is unplanned.')
    .option('--json', 'print {"id"}')
    .action(async (id: string, { json }: JsonOption) => {
      await context.registry((stores) => stores.availability.maintenance.withdraw({ id, by }))
      output.result(json, { id }, () => `withdrew announcement ${id}`)
    })
}

function draw(items: readonly MaintenanceWindow[]): string {
  return drawTable(items, {
    id: 'id',
    from: 'from',
    until: 'until',
    api: ({ api, version }) => (api === null ? 'all' : `${api}@${version}`),
    announced: 'announcedAt',
    by: 'announcedBy',
    reason: 'reason',
  })
}
