import type { Command } from 'commander'
import { limitNames } from '../../catalogue/effective-limits.ts'
import type { LimitOverride } from '../../gateway/registry/overrides.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { publishedVersion } from '../published.ts'
import { withRegistry } from '../registry-session.ts'
import { type JsonOption, parseMoment, parseWhole } from './options.ts'

interface AddOptions extends JsonOption {
  readonly application: string
  readonly api: string
  readonly limit: string
  readonly calls: number
  readonly until: Date
  readonly reason: string
}

export function registerOverride(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const override = program
    .command('override')
    .description('other numbers of calls than the plan’s, for one application until a moment')

  override
    .command('list')
    .description('overrides of an application that are in force, oldest first')
    .requiredOption('--application <id>', 'the application')
    .option('--json', 'print {"items"}')
    .action(async ({ application, json }: JsonOption & { application: string }) => {
      const items = await withRegistry(context.settings(), async (stores) => {
        const found = await stores.applications.find(application)
        if (found === undefined) throw new RegistryNotFound('application', application)
        return stores.overrides.list({ applicationId: application })
      })
      output.result(json, { items }, () => draw(items))
    })

  override
    .command('add')
    .description('set another number for one limit; every gateway has it within a second')
    .requiredOption('--application <id>', 'the application')
    .requiredOption('--api <api@version>', 'the version')
    .option('--limit <name>', 'name of the limit in the plan', 'default')
    .requiredOption('--calls <count>', 'calls in a window instead', (text) =>
      parseWhole(text, 1, 1_000_000_000),
    )
    .requiredOption(
      '--until <time>',
      'when the plan’s number holds again (e.g. 2027-01-31)',
      parseMoment,
    )
    .requiredOption('--reason <text>', 'for the audit')
    .option('--json', 'print the override')
    .action(async ({ application, api: text, limit, calls, until, reason, json }: AddOptions) => {
      const catalogue = await context.catalogue()
      const published = publishedVersion(catalogue, text)
      const names = limitNames(catalogue, published)
      if (!names.includes(limit)) {
        throw new CommandError(`${text} has no limit "${limit}"; it has: ${names.join(', ')}`)
      }
      const { api, version } = published
      const made = await withRegistry(context.settings(), (stores) =>
        stores.overrides.create({
          applicationId: application,
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

  override
    .command('end <id>')
    .description('let the number of the plan hold again')
    .requiredOption('--application <id>', 'the application')
    .option('--json', 'print {"id"}')
    .action(async (id: string, { application, json }: JsonOption & { application: string }) => {
      await withRegistry(context.settings(), (stores) =>
        stores.overrides.end({ applicationId: application, id, by }),
      )
      output.result(json, { id }, () => `ended override ${id}`)
    })
}

function draw(items: readonly LimitOverride[]): string {
  return drawTable(
    ['id', 'api', 'version', 'limit', 'calls', 'until', 'by', 'reason'],
    items.map((item) => [
      item.id,
      item.api,
      item.version,
      item.limit,
      item.calls,
      item.expiresAt,
      item.createdBy,
      item.reason,
    ]),
  )
}
