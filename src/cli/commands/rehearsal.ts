import type { Command } from 'commander'
import type { RehearsedUsage } from '../../registry/usage/rehearsed-usage.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication } from '../find.ts'
import { drawTable } from '../output.ts'
import { earlierForms, type JsonOption, parseEarlierMoment } from './options.ts'

interface RehearsalOptions extends JsonOption {
  readonly application?: string
  readonly from?: Date
  readonly to?: Date
}

const dayMs = 86_400_000

export function registerRehearsal(command: Command, context: CommandContext): void {
  const moment = (text: string): Date => parseEarlierMoment(text, context.now())
  addExamples(command, [
    'tollgate rehearsal',
    'tollgate rehearsal --from -7d --application "Budget app" --json',
  ])
    .description(
      'Show what a plan with mode: rehearse would have refused, by hour and by application. The counts are a few seconds behind and are kept for 60 days.',
    )
    .option('--application <application>', 'only this one: its name or id')
    .option('--from <time>', `the first hour; ${earlierForms} (default: the last 24 hours)`, moment)
    .option(
      '--to <time>',
      'end of the range; the hour that starts then is left out (default: now)',
      moment,
    )
    .option('--json', 'print {"items"}: one for each hour, application and operation')
    .action(async ({ application, from, to, json }: RehearsalOptions) => {
      const nowMs = context.now()
      const range = { from: from ?? new Date(nowMs - dayMs), to: to ?? new Date(nowMs) }
      const items = await context.registry(async (stores) => {
        const found =
          application === undefined ? undefined : await findApplication(stores, application)
        return stores.rehearsedUsage.byHour({ ...range, applicationId: found?.id })
      })
      context.output.result(json, { items }, () => draw(items))
    })
}

/** Sums of some items. */
interface Sums {
  readonly name: string
  readonly calls: number
  readonly wouldRefuse: number
  readonly refused: number
  readonly distinct: ReadonlySet<string>
}

function draw(items: readonly RehearsedUsage[]): string {
  if (items.length === 0)
    return 'Nothing was rehearsed: no plan has mode: rehearse, or no calls were made.'
  const byHour = sumsBy(items, (item) => ({
    group: item.at.toISOString(),
    counted: item.applicationId,
  }))
  const byApplication = sumsBy(items, (item) => ({
    group: `${item.applicationName} (${item.applicationId})`,
    counted: item.at.toISOString(),
  }))
  const columns = {
    Calls: 'calls',
    'Would be refused': 'wouldRefuse',
    'Refused now': 'refused',
  } as const
  return [
    drawTable(byHour, { Hour: 'name', ...columns, Applications: ({ distinct }) => distinct.size }),
    drawTable(
      [...byApplication].sort((a, b) => b.wouldRefuse - a.wouldRefuse),
      { Application: 'name', ...columns, Hours: ({ distinct }) => distinct.size },
    ),
  ].join('\n\n')
}

/** Sums the items of each group, and counts the distinct values in it. */
function sumsBy(
  items: readonly RehearsedUsage[],
  valuesOf: (item: RehearsedUsage) => { readonly group: string; readonly counted: string },
): readonly Sums[] {
  return [...Map.groupBy(items, (item) => valuesOf(item).group)].map(([name, group]) => ({
    name,
    calls: group.reduce((sum, item) => sum + item.calls, 0),
    wouldRefuse: group.reduce((sum, item) => sum + item.wouldRefuse, 0),
    refused: group.reduce((sum, item) => sum + item.refused, 0),
    distinct: new Set(group.map((item) => valuesOf(item).counted)),
  }))
}
