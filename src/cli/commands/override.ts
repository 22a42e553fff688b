import type { Command } from 'commander'
import { limitNames } from '../../catalogue/effective-limits.ts'
import type { LimitOverride } from '../../registry/applications/overrides.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findId } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { publishedVersion } from '../published.ts'
import { type JsonOption, momentForms, parseMoment, parseWhole } from './options.ts'

interface AddOptions extends JsonOption {
  readonly application: string
  readonly api: string
  readonly limit: string
  readonly calls: number
  readonly until: Date
  readonly reason: string
}

export function registerOverride(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate override list --application "Budget app"',
    'tollgate override add --application "Budget app" --api xs2a@1.7.0 --calls 500 --until +30d --reason "Migration to 1.7.0"',
  ]).description(
    "Raise or lower one application's limit until a date, instead of the plan's limit.",
  )

  addExamples(command.command('list'), ['tollgate override list --application "Budget app"'])
    .description('List the active overrides of an application, oldest first.')
    .requiredOption('--application <application>', 'its name or id')
    .option('--json', 'print {"items"}')
    .action(async ({ application, json }: JsonOption & { application: string }) => {
      const items = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.overrides.list({ applicationId })
      })
      output.result(json, { items }, () => draw(items))
    })

  addExamples(command.command('add'), [
    'tollgate override add --application "Budget app" --api xs2a@1.7.0 --calls 500 --until +30d --reason "Migration to 1.7.0"',
  ])
    .description(
      'Set another number of calls for one limit. Every gateway applies it within a second.',
    )
    .requiredOption('--application <application>', 'its name or id')
    .requiredOption('--api <api@version>', 'the API version (e.g. xs2a@1.7.0)')
    .option('--limit <name>', 'name of the limit in the plan', 'default')
    .requiredOption('--calls <count>', 'calls allowed until the limit resets', (text) =>
      parseWhole(text, 1, 1_000_000_000),
    )
    .requiredOption('--until <time>', `when the plan's limit returns (${momentForms})`, (text) =>
      parseMoment(text, context.now()),
    )
    .requiredOption('--reason <text>', 'for the audit log')
    .option('--json', 'print the override')
    .action(async ({ application, api: text, limit, calls, until, reason, json }: AddOptions) => {
      const catalogue = await context.catalogue()
      const published = publishedVersion(catalogue, text)
      const names = limitNames(catalogue, published)
      if (!names.includes(limit)) {
        throw new CommandError(`${text} has no limit "${limit}"; it has: ${names.join(', ')}`)
      }
      const { api, version } = published
      const made = await context.registry(async (stores) =>
        stores.overrides.create({
          applicationId: (await findApplication(stores, application)).id,
          api,
          version,
          limit,
          calls,
          reason,
          expiresAt: until,
          by,
        }),
      )
      output.result(json, made, () => drawFields({ ...made }))
    })

  addExamples(command.command('end <override>'), [
    'tollgate override end 91c0 --application "Budget app"',
  ])
    .description("End an override: the plan's limit applies again.")
    .requiredOption('--application <application>', 'its name or id')
    .option('--json', 'print {"id"}')
    .action(async (reference: string, options: JsonOption & { application: string }) => {
      const { application, json } = options
      const id = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        const id = await findId(stores, 'override', reference)
        await stores.overrides.end({ applicationId, id, by })
        return id
      })
      output.result(json, { id }, () => `ended override ${id}`)
    })
}

function draw(items: readonly LimitOverride[]): string {
  return drawTable(items, {
    id: 'id',
    api: 'api',
    version: 'version',
    limit: 'limit',
    calls: 'calls',
    until: 'expiresAt',
    by: 'createdBy',
    reason: 'reason',
  })
}
