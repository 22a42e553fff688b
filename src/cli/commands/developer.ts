import type { Command } from 'commander'
import type { Developer } from '../../gateway/registry/developers.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
import { type JsonOption, type PageOptions, parseLimit } from './options.ts'

export function registerDeveloper(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const developer = program.command('developer').description('those who own applications')

  developer
    .command('list')
    .description('all developers, oldest first')
    .option('--limit <count>', 'at most so many', parseLimit, 100)
    .option('--after <id>', 'go on after this developer')
    .option('--json', 'print {"items"}')
    .action(async ({ limit, after, json }: PageOptions) => {
      const items = await withRegistry(context.settings(), (stores) =>
        stores.developers.list({ limit, after }),
      )
      output.result(json, { items }, () =>
        drawTable(
          ['id', 'email', 'name', 'created', 'suspended'],
          items.map((item) => [item.id, item.email, item.name, item.createdAt, item.suspendedAt]),
        ),
      )
    })

  developer
    .command('show <developer>')
    .description('one developer with the applications, by id or email')
    .option('--json', 'print it with "applications"')
    .action(async (reference: string, { json }: JsonOption) => {
      const { found, applications } = await withRegistry(context.settings(), async (stores) => {
        const found = await findDeveloper(stores, reference)
        const applications = await stores.applications.list({ developerId: found.id, limit: 1000 })
        return { found, applications }
      })
      output.result(json, { ...found, applications }, () =>
        [
          drawFields({ ...found }),
          drawTable(
            ['application', 'name', 'created', 'suspended'],
            applications.map((item) => [item.id, item.name, item.createdAt, item.suspendedAt]),
          ),
        ].join('\n'),
      )
    })

  for (const verb of ['suspend', 'resume'] as const) {
    developer
      .command(`${verb} <developer>`)
      .description(
        verb === 'suspend'
          ? 'refuse the calls of all applications of a developer'
          : 'let the applications of a developer call again',
      )
      .option('--json', 'print the developer')
      .action(async (reference: string, { json }: JsonOption) => {
        const changed = await withRegistry(context.settings(), async (stores) => {
          const { id } = await findDeveloper(stores, reference)
          return stores.developers[verb]({ id, by })
        })
        output.result(json, changed, () => drawFields({ ...changed }))
      })
  }

  developer
    .command('delete <developer>')
    .description('delete a developer with all applications, subscriptions and keys')
    .option('--json', 'print {"id"}')
    .action(async (reference: string, { json }: JsonOption) => {
      const id = await withRegistry(context.settings(), async (stores) => {
        const { id } = await findDeveloper(stores, reference)
        await stores.developers.delete({ id, by })
        return id
      })
      output.result(json, { id }, () => `deleted developer ${id}`)
    })
}

/** Finds a developer by id or email. @throws {RegistryNotFound} */
export async function findDeveloper(stores: RegistryStores, reference: string): Promise<Developer> {
  const found = reference.includes('@')
    ? await stores.developers.findByEmail(reference)
    : await stores.developers.find(reference)
  if (found === undefined) throw new RegistryNotFound('developer', reference)
  return found
}
