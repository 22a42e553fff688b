import type { Command } from 'commander'
import type { Application, Applications } from '../../registry/applications/applications.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findDeveloper } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { collect, type JsonOption, type PageOptions, parseLimit } from './options.ts'

export function registerApplication(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate application list --developer anna@example.com',
    'tollgate application show "Budget app"',
    'tollgate application suspend 3f2a',
  ]).description(
    'Manage the applications that call with API keys. Name an application by its name, its id or the first characters of its id.',
  )

  function show(json: boolean | undefined, changed: Application): void {
    output.result(json, changed, () => drawFields(cellsOf(changed)))
  }

  /** Runs a change on the application that `reference` names, and shows the result. */
  async function change(
    reference: string,
    json: boolean | undefined,
    make: (applications: Applications, id: string) => Promise<Application>,
  ): Promise<void> {
    const changed = await context.registry(async (stores) => {
      const { id } = await findApplication(stores, reference)
      return make(stores.applications, id)
    })
    show(json, changed)
  }

  addExamples(command.command('list'), [
    'tollgate application list',
    'tollgate application list --developer anna@example.com --json',
  ])
    .description('List applications, oldest first.')
    .option('--developer <developer>', 'only the applications of one developer, by email or id')
    .option('--limit <count>', 'at most this many', parseLimit, 100)
    .option('--after <id>', 'continue after the application with this id')
    .option('--json', 'print {"items"}')
    .action(async ({ developer, limit, after, json }: PageOptions & { developer?: string }) => {
      const items = await context.registry(async (stores) => {
        if (developer === undefined) return stores.directory.applications({ limit, after })
        const { id, email } = await findDeveloper(stores, developer)
        const owned = await stores.applications.list({ developerId: id, limit, after })
        return owned.map((item) => ({ ...item, developerEmail: email }))
      })
      output.result(json, { items }, () =>
        drawTable(items, {
          id: 'id',
          name: 'name',
          developer: 'developerEmail',
          created: 'createdAt',
          suspended: 'suspendedAt',
          strict: 'strict',
        }),
      )
    })

  addExamples(command.command('show <application>'), [
    'tollgate application show "Budget app"',
    'tollgate application show 3f2a --json',
  ])
    .description('Show one application.')
    .option('--json', 'print the application')
    .action(async (reference: string, { json }: JsonOption) => {
      const found = await context.registry((stores) => findApplication(stores, reference))
      output.result(json, found, () => drawFields(cellsOf(found)))
    })

  addExamples(command.command('create'), [
    'tollgate application create --developer anna@example.com --name "Budget app"',
  ])
    .description('Create an application.')
    .requiredOption('--developer <developer>', 'its owner, by email or id')
    .requiredOption('--name <name>', "unique among the developer's applications")
    .option('--json', 'print the application')
    .action(async ({ developer, name, json }: JsonOption & { developer: string; name: string }) => {
      const created = await context.registry(async (stores) => {
        const { id } = await findDeveloper(stores, developer)
        return stores.applications.create({ developerId: id, name, by })
      })
      show(json, created)
    })

  addExamples(command.command('rename <application> <name>'), [
    'tollgate application rename "Budget app" "Household budget"',
  ])
    .description('Rename an application.')
    .option('--json', 'print the application')
    .action((reference: string, name: string, { json }: JsonOption) =>
      change(reference, json, (applications, id) => applications.rename({ id, name, by })),
    )

  for (const verb of ['suspend', 'resume'] as const) {
    addExamples(command.command(`${verb} <application>`), [
      `tollgate application ${verb} "Budget app"`,
    ])
      .description(
        verb === 'suspend'
          ? 'Refuse all calls of an application with 403.'
          : 'Let a suspended application call again.',
      )
      .option('--json', 'print the application')
      .action((reference: string, { json }: JsonOption) =>
        change(reference, json, (applications, id) => applications[verb]({ id, by })),
      )
  }

  addExamples(command.command('strict <application>'), [
    'tollgate application strict "Budget app"',
    'tollgate application strict "Budget app" --off',
  ])
    .description('Make the bank accept only signed calls of an application.')
    .option('--off', 'accept unsigned calls again')
    .option('--json', 'print the application')
    .action((reference: string, { off, json }: JsonOption & { off?: boolean }) =>
      change(reference, json, (applications, id) =>
        applications.setStrict({ id, strict: off !== true, by }),
      ),
    )

  addExamples(command.command('redirects <application>'), [
    'tollgate application redirects "Budget app" --origin https://app.example',
    'tollgate application redirects "Budget app"',
  ])
    .description(
      'Set the origins to which the bank may send an application’s customers back. Without --origin, the bank accepts any https address, or none for a strict application.',
    )
    .option(
      '--origin <origin>',
      'scheme, host and port of redirect addresses; repeat the option for several',
      collect,
    )
    .option('--json', 'print the application')
    .action(
      (reference: string, { origin = [], json }: JsonOption & { origin?: readonly string[] }) =>
        change(reference, json, (applications, id) =>
          applications.update({ id, redirectOrigins: origin, by }),
        ),
    )

  addExamples(command.command('delete <application>'), ['tollgate application delete "Budget app"'])
    .description('Delete an application with its subscriptions and keys.')
    .option('--json', 'print {"id"}')
    .action(async (reference: string, { json }: JsonOption) => {
      const { id, name } = await context.registry(async (stores) => {
        const found = await findApplication(stores, reference)
        await stores.applications.delete({ id: found.id, by })
        return found
      })
      output.result(json, { id }, () => `deleted application ${name} (${id})`)
    })
}

/** The origins as one cell. */
function cellsOf<Item extends { readonly redirectOrigins: readonly string[] }>({
  redirectOrigins,
  ...item
}: Item) {
  return { ...item, redirectOrigins: redirectOrigins.join(', ') || null }
}
