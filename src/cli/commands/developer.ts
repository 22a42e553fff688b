import type { Command } from 'commander'
import { confirm } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findDeveloper } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { type JsonOption, type PageOptions, parseLimit } from './options.ts'

/** What a table of developers shows. */
export const developerColumns = {
  id: 'id',
  email: 'email',
  name: 'name',
  created: 'createdAt',
  suspended: 'suspendedAt',
} as const

export function registerDeveloper(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate developer show anna@example.com',
    'tollgate developer suspend anna@example.com',
  ]).description(
    'Manage the developers who own applications. Name a developer by email address, id or the first characters of the id.',
  )

  addExamples(command.command('list'), ['tollgate developer list --limit 1000 --json'])
    .description('List all developers, oldest first.')
    .option('--limit <count>', 'at most this many', parseLimit, 100)
    .option('--after <id>', 'continue after the developer with this id')
    .option('--json', 'print {"items"}')
    .action(async ({ limit, after, json }: PageOptions) => {
      const items = await context.registry((stores) => stores.developers.list({ limit, after }))
      output.result(json, { items }, () => drawTable(items, developerColumns))
    })

  addExamples(command.command('show <developer>'), ['tollgate developer show anna@example.com'])
    .description('Show one developer with all applications.')
    .option('--json', 'print the developer with "applications"')
    .action(async (reference: string, { json }: JsonOption) => {
      const { found, applications } = await context.registry(async (stores) => {
        const { id } = await findDeveloper(stores, reference)
        const found = await stores.developers.find(id)
        const applications = await stores.applications.list({ developerId: id, limit: 1000 })
        return { found, applications }
      })
      output.result(json, { ...found, applications }, () =>
        [
          drawFields({ ...found }),
          drawTable(applications, {
            application: 'id',
            name: 'name',
            created: 'createdAt',
            suspended: 'suspendedAt',
          }),
        ].join('\n'),
      )
    })

  for (const verb of ['suspend', 'resume'] as const) {
    addExamples(command.command(`${verb} <developer>`), [
      `tollgate developer ${verb} anna@example.com`,
    ])
      .description(
        verb === 'suspend'
          ? 'Refuse the calls of all applications of a developer.'
          : 'Let the applications of a suspended developer call again.',
      )
      .option('--json', 'print the developer')
      .action(async (reference: string, { json }: JsonOption) => {
        const changed = await context.registry(async (stores) => {
          const { id } = await findDeveloper(stores, reference)
          return stores.developers[verb]({ id, by })
        })
        output.result(json, changed, () => drawFields({ ...changed }))
      })
  }

  addExamples(command.command('delete <developer>'), [
    'tollgate developer delete anna@example.com',
    'tollgate developer delete anna@example.com --yes',
  ])
    .description(
      'Delete a developer with all applications, subscriptions and keys. Asks for confirmation on a terminal.',
    )
    .option('--yes', 'delete without asking')
    .option('--json', 'print {"id"}')
    .action(async (reference: string, { yes, json }: JsonOption & { yes?: boolean }) => {
      if (yes !== true && json !== true && context.isTerminal) {
        const { email, count } = await context.registry(async (stores) => {
          const found = await findDeveloper(stores, reference)
          const owned = await stores.applications.list({ developerId: found.id, limit: 1000 })
          return { email: found.email, count: owned.length }
        })
        const applications = `${count} ${count === 1 ? 'application' : 'applications'}`
        await confirm(context, `This deletes ${email} with ${applications} and their keys.`)
      }
      const { id, email } = await context.registry(async (stores) => {
        const found = await findDeveloper(stores, reference)
        await stores.developers.delete({ id: found.id, by })
        return found
      })
      output.result(json, { id }, () => `deleted developer ${email} (${id})`)
    })
}
