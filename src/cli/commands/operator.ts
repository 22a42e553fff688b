import type { Command } from 'commander'
import type { Developer } from '../../gateway/registry/developers.ts'
import { RegistryConflict } from '../../gateway/registry/registry-errors.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import { origin } from '../../platform/listen.ts'
import type { Settings } from '../../platform/settings.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
import { findDeveloper } from './developer.ts'
import type { JsonOption } from './options.ts'

export function registerOperator(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const operator = program
    .command('operator')
    .description('developers who see the operator’s pages of the portal')

  operator
    .command('list')
    .description('all operators, oldest account first')
    .option('--json', 'print {"items"}')
    .action(async ({ json }: JsonOption) => {
      const items = await withRegistry(context.settings(), (stores) => stores.operators.list())
      output.result(json, { items }, () =>
        drawTable(
          ['id', 'email', 'name', 'created', 'suspended'],
          items.map((item) => [item.id, item.email, item.name, item.createdAt, item.suspendedAt]),
        ),
      )
    })

  operator
    .command('add <email>')
    .description('make a developer an operator; one who is new is made')
    .option('--name <name>', 'of the developer, when it is new', '')
    .option('--json', 'print the developer with "resetUrl", where a password comes from')
    .action(async (email: string, { name, json }: JsonOption & { name: string }) => {
      const settings = context.settings()
      const added = await withRegistry(settings, async (stores) => {
        const { id } = await findOrMake(stores, { email, name, by })
        return stores.operators.add({ id, by })
      })
      const resetUrl = resetPage(settings)
      output.result(json, { ...added, resetUrl }, () => drawFields({ ...added }))
      if (json === true) return
      const page = resetUrl ?? 'the page /reset of the portal'
      output.note(`Without a password yet? Ask for a link at ${page}.`)
    })

  operator
    .command('remove <developer>')
    .description('make an operator a developer like others, by id or email')
    .option('--json', 'print the developer')
    .action(async (reference: string, { json }: JsonOption) => {
      const removed = await withRegistry(context.settings(), async (stores) => {
        const { id } = await findDeveloper(stores, reference)
        return stores.operators.remove({ id, by })
      })
      output.result(json, removed, () => drawFields({ ...removed }))
    })
}

/** Where a link is asked for that sets a password; null when only a running portal knows its port. */
function resetPage({ portal, portalPublicUrl }: Settings): string | null {
  if (portalPublicUrl === undefined && portal.port === 0) return null
  return `${portalPublicUrl ?? origin(portal)}/reset`
}

/** Two who add the same address at once both find nobody; the slower one then finds whom the other made. */
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
