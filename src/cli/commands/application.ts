import type { Command } from 'commander'
import type { Application } from '../../gateway/registry/applications.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
import { findDeveloper } from './developer.ts'
import { type JsonOption, type PageOptions, parseLimit } from './options.ts'

export function registerApplication(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const application = program.command('application').description('what calls with keys')

  function show(json: boolean | undefined, changed: Application): void {
    output.result(json, changed, () => drawFields({ ...changed }))
  }

  application
    .command('list')
    .description('applications, oldest first')
    .option('--developer <developer>', 'of one developer only, by id or email')
    .option('--limit <count>', 'at most so many', parseLimit, 100)
    .option('--after <id>', 'go on after this application')
    .option('--json', 'print {"items"}')
    .action(async ({ developer, limit, after, json }: PageOptions & { developer?: string }) => {
      const items = await withRegistry(context.settings(), async (stores) => {
        const developerId =
          developer === undefined ? undefined : (await findDeveloper(stores, developer)).id
        return stores.applications.list({ developerId, limit, after })
      })
      output.result(json, { items }, () =>
        drawTable(
          ['id', 'name', 'developer', 'created', 'suspended', 'strict'],
          items.map((item) => [
            item.id,
            item.name,
            item.developerId,
            item.createdAt,
            item.suspendedAt,
            item.strict,
          ]),
        ),
      )
    })

  application
    .command('show <id>')
    .description('one application')
    .option('--json', 'print the application')
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withRegistry(context.settings(), (stores) => stores.applications.find(id))
      if (found === undefined) throw new RegistryNotFound('application', id)
      show(json, found)
    })

  application
    .command('create')
    .description('make an application')
    .requiredOption('--developer <developer>', 'its owner, by id or email')
    .requiredOption('--name <name>', 'unique among those of the developer')
    .option('--json', 'print the application')
    .action(async ({ developer, name, json }: JsonOption & { developer: string; name: string }) => {
      const created = await withRegistry(context.settings(), async (stores) => {
        const { id } = await findDeveloper(stores, developer)
        return stores.applications.create({ developerId: id, name, by })
      })
      show(json, created)
    })

  application
    .command('rename <id> <name>')
    .description('give an application another name')
    .option('--json', 'print the application')
    .action(async (id: string, name: string, { json }: JsonOption) => {
      show(
        json,
        await withRegistry(context.settings(), (stores) =>
          stores.applications.rename({ id, name, by }),
        ),
      )
    })

  for (const verb of ['suspend', 'resume'] as const) {
    application
      .command(`${verb} <id>`)
      .description(
        verb === 'suspend' ? 'refuse all its calls with 403' : 'let a suspended one call again',
      )
      .option('--json', 'print the application')
      .action(async (id: string, { json }: JsonOption) => {
        show(
          json,
          await withRegistry(context.settings(), (stores) => stores.applications[verb]({ id, by })),
        )
      })
  }

  application
    .command('strict <id>')
    .description('have the bank take only signed calls of an application')
    .option('--off', 'any calls again')
    .option('--json', 'print the application')
    .action(async (id: string, { off, json }: JsonOption & { off?: boolean }) => {
      const strict = off !== true
      show(
        json,
        await withRegistry(context.settings(), (stores) =>
          stores.applications.setStrict({ id, strict, by }),
        ),
      )
    })

  application
    .command('delete <id>')
    .description('delete an application with its subscriptions and keys')
    .option('--json', 'print {"id"}')
    .action(async (id: string, { json }: JsonOption) => {
      await withRegistry(context.settings(), (stores) => stores.applications.delete({ id, by }))
      output.result(json, { id }, () => `deleted application ${id}`)
    })
}
