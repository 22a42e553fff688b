import Table from 'cli-table3'
import type { Command } from 'commander'
import type { Catalogue, Limit } from '../../catalogue/catalogue.ts'
import {
  CatalogueError,
  type CatalogueProblem,
  renderCatalogueProblem,
} from '../../catalogue/catalogue-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { type CommandResult, conclude } from './command-result.ts'
import type { JsonOption } from './options.ts'

export function registerCheck(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate check', 'CONFIG_DIR=proposed tollgate check --json'])
    .description(
      'Validate the API documents and plans in CONFIG_DIR, with every schema and every example. Exit code 1 lists every problem: file, line, rule and an example.',
    )
    .option('--json', 'print {"ok","versions","plans"} or {"ok","problems"}')
    .action(async ({ json }: JsonOption) => {
      const { configDir } = context.settings()
      conclude(context.output, await check({ configDir, json: json === true }))
    })
}

export interface CheckOptions {
  readonly configDir: string
  readonly json: boolean
}

/**
 * Loads the configuration, compiles every schema and checks every example.
 * Exit code 1 with every problem when anything is wrong: file, line, rule,
 * what is wrong and an example. As JSON `{ ok, versions, plans }` or
 * `{ ok, problems }`.
 */
export async function check({ configDir, json }: CheckOptions): Promise<CommandResult> {
  try {
    const { inspectCatalogue } = await import('../../catalogue/inspect-catalogue.ts')
    const catalogue = await inspectCatalogue(configDir)
    return { output: json ? jsonOf(summaryOf(catalogue)) : textOf(catalogue), exitCode: 0 }
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    const { problems } = error
    return { output: json ? jsonOf({ ok: false, problems }) : problemText(problems), exitCode: 1 }
  }
}

function summaryOf(catalogue: Catalogue) {
  return {
    ok: true,
    versions: [...catalogue.versions.values()].map(
      ({ api, version, lifecycle, operations, plans }) => ({
        api,
        version,
        operations: operations.length,
        lifecycle,
        plans,
      }),
    ),
    plans: [...catalogue.plans.values()],
  }
}

function textOf(catalogue: Catalogue): string {
  const versions = new Table({
    head: ['API', 'Version', 'Operations', 'Lifecycle', 'Plans'],
    style: { head: [], border: [] },
  })
  for (const { api, version, operations, lifecycle, plans } of catalogue.versions.values()) {
    const stages = Object.entries(lifecycle).map(([stage, value]) => `${stage} ${value}`)
    versions.push([
      api,
      version,
      operations.length,
      stages.join('\n') || 'active',
      plans.join('\n'),
    ])
  }
  const plans = new Table({
    head: ['Plan', 'Title', 'Limits', 'Mode', 'Without counters'],
    style: { head: [], border: [] },
  })
  for (const { name, title, limits, mode, onStoreOutage } of catalogue.plans.values()) {
    plans.push([name, title, limits.map(limitText).join('\n'), mode, onStoreOutage])
  }
  return `${versions.toString()}\n${plans.toString()}\nThe configuration is valid.\n`
}

function limitText({ name, calls, windowSeconds, scope }: Limit): string {
  const counted = scope === 'operation' ? 'per operation' : 'per version'
  return `${name}: ${calls} in ${windowSeconds} s ${counted}`
}

function problemText(problems: readonly CatalogueProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return `${problems.map(renderCatalogueProblem).join('\n')}\n${count} in the configuration.\n`
}

function jsonOf(result: unknown): string {
  return `${JSON.stringify(result, null, 2)}\n`
}
