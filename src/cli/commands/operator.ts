import type { Command } from 'commander'
import type { Developer } from '../../gateway/registry/developers.ts'
import { RegistryConflict } from '../../gateway/registry/registry-errors.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import { findAddresses } from '../addresses.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findDeveloper } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

export function registerOperator(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, ['tollgate operator add olga@bank.example', 'tollgate operator list'])

  addExamples(command.command('list'), ['tollgate operator list'])
    .description('List all operators, oldest account first.')
    .option('--json', 'print {"items"}')
    .action(async ({ json }: JsonOption) => {
      const items = await context.registry((stores) => stores.operators.list())
      output.result(json, { items }, () =>
        drawTable(
          ['id', 'email', 'name', 'created', 'suspended'],
          items.map((item) => [item.id, item.email, item.name, item.createdAt, item.suspendedAt]),
        ),
      )
    })

  addExamples(command.command('add <email>'), [
    'tollgate operator add olga@bank.example --name "Olga Levin"',
  ])
    .description('Make a developer an operator. An unknown email address gets a new account.')
    .option('--name <name>', 'display name of a new account')
    .option('--json', 'print the developer with "resetUrl", the page that sets a password')
    .action(async (email: string, { name = '', json }: JsonOption & { name?: string }) => {
      const { added, hasPassword } = await context.registry(async (stores) => {
        const { id } = await findOrMake(stores, { email, name, by })
        const hasPassword = await stores.credentials.hasPassword(id)
        return { added: await stores.operators.add({ id, by }), hasPassword }
      })
      const { portal } = await findAddresses(context.settings())
      const resetUrl = portal === undefined ? null : `${portal}/reset`
      output.result(json, { ...added, resetUrl }, () => drawFields({ ...added }))
      if (json === true || hasPassword) return
      const page = resetUrl ?? "the portal's page /reset"
      output.note(`To set a password, ask for a link at ${page}.`)
    })

  addExamples(command.command('remove <developer>'), ['tollgate operator remove olga@bank.example'])
    .description('Take the operator role away. The developer account stays.')
    .option('--json', 'print the developer')
    .action(async (reference: string, { json }: JsonOption) => {
      const removed = await context.registry(async (stores) => {
        const { id } = await findDeveloper(stores, reference)
        return stores.operators.remove({ id, by })
      })
      output.result(json, removed, () => drawFields({ ...removed }))
    })
}

/** Two commands that add the same address at once both find no account; the slower one then finds the other's. */
async function findOrMake(
  { developers }: RegistryStores,
  input: { email: string; name: string; by: string },
): Promise<Developer> {
  const known = await developers.findByEmail(input.email)
  if (known !== undefined) return known
  try {
    return await developers.create(input)
  } catch (error) {
    const made =
      error instanceof RegistryConflict && error.rule === 'email-taken'
        ? await developers.findByEmail(input.email)
        : undefined
    if (made === undefined) throw error
    return made
  }
}
