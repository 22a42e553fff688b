import type { Command } from 'commander'
import type { Stores } from '../../portal/stores/stores.ts'
import { breakingExitCode, ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import type { CountersSession } from '../counters-session.ts'
import { addExamples } from '../examples.ts'
import { type InForce, publishedInForce } from '../in-force.ts'
import { assessPlan } from '../plan/assess-plan.ts'
import type { JsonOption } from './options.ts'
import { planAsJson, planText } from './plan-text.ts'

interface PlanOptions extends JsonOption {
  readonly against?: string
}

export function registerPlan(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate plan proposed', 'tollgate plan proposed --json'])
    .description(
      'Compare a configuration folder with what the gateways have published: versions, operations, plans and limits, the applications that each change affects, those that would be over a new limit now, and what it would have refused in the last 30 days. Changes nothing. Exit code 3: at least one change takes something from an application.',
    )
    .argument('<folder>', 'the proposed folder, as CONFIG_DIR names one')
    .option('--against <folder>', 'compare with this folder, not with what is published')
    .option('--json', 'print {"inForce","isBreaking","changes","overNow","last30Days"}')
    .action(async (folder: string, { against, json }: PlanOptions) => {
      const { output } = context
      const { loadCatalogue } = await import('../../catalogue/load-catalogue.ts')
      const proposed = await loadCatalogue(folder)
      const { inForce, assessed } = await context.registry(async (stores) => {
        const inForce = await inForceOf(stores, context, against)
        const counters: Pick<CountersSession, 'peek'> = {
          peek: (buckets) => context.counters((opened) => opened.peek(buckets)),
        }
        const nowMs = context.now()
        return {
          inForce,
          assessed: await assessPlan({ stores, counters, inForce, proposed, nowMs }),
        }
      })
      if (inForce.note !== undefined) output.note(inForce.note)
      if (assessed.overNow instanceof Error) {
        output.note(`The counts of now are missing: ${assessed.overNow.message}.`)
      }
      output.result(json, planAsJson(assessed, inForce), () => planText(assessed))
      if (assessed.isBreaking) throw new ReportedError(undefined, { exitCode: breakingExitCode })
    })
}

async function inForceOf(
  stores: Stores,
  context: CommandContext,
  against: string | undefined,
): Promise<InForce> {
  const { loadCatalogue } = await import('../../catalogue/load-catalogue.ts')
  const folder = { source: 'folder', publishedAt: null } as const
  if (against !== undefined) return { ...(await loadCatalogue(against)), ...folder }
  const published = await publishedInForce(stores)
  if (published.source !== 'none') return published
  const note = `${published.reason} This compares with the files in ${context.settings().configDir}.`
  return { ...(await context.catalogue()), ...folder, note }
}
