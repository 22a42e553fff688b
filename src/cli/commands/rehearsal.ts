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
    .option('--to <time>', 'up to, without the hour that begins then (default: now)', moment)
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
  readonly others: ReadonlySet<string>
}

function draw(items: readonly RehearsedUsage[]): string {
  if (items.length === 0)
    return 'Nothing was rehearsed: no plan has mode: rehearse, or no call came.'
  const byHour = sumsBy(items, (item) => [item.at.toISOString(), item.applicationId])
  const byApplication = sumsBy(items, (item) => [
    `${item.applicationName} (${item.applicationId})`,
    item.at.toISOString(),
  ])
  const columns = {
    Calls: 'calls',
    'Would be refused': 'wouldRefuse',
    'Refused now': 'refused',
  } as const
  return [
    drawTable(byHour, { Hour: 'name', ...columns, Applications: ({ others }) => others.size }),
    drawTable(
      [...byApplication].sort((a, b) => b.wouldRefuse - a.wouldRefuse),
      { Application: 'name', ...columns, Hours: ({ others }) => others.size },
    ),
  ].join('\n\n')
}

/** Adds the items up by the first of two names, and counts the second ones. */
function sumsBy(
  items: readonly RehearsedUsage[],
  namesOf: (item: RehearsedUsage) => readonly [name: string, other: string],
): readonly Sums[] {
  return [...Map.groupBy(items, (item) => namesOf(item)[0])].map(([name, group]) => ({
    name,
    calls: group.reduce((sum, item) => sum + item.calls, 0),
    wouldRefuse: group.reduce((sum, item) => sum + item.wouldRefuse, 0),
    refused: group.reduce((sum, item) => sum + item.refused, 0),
    others: new Set(group.map((item) => namesOf(item)[1])),
  }))
}
