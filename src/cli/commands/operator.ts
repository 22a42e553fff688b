import type { Command } from 'commander'
import { pagePaths } from '../../portal/pages/page-paths.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import type { Developer } from '../../registry/applications/developer.ts'
import { RegistryConflict } from '../../registry/registry-errors.ts'
import { findAddresses } from '../addresses.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findDeveloper } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { developerColumns } from './developer.ts'
import type { JsonOption } from './options.ts'

interface AddOptions extends JsonOption {
  readonly name?: string
  readonly staffId?: string
}

export function registerOperator(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, ['tollgate operator add olga@bank.example', 'tollgate operator list'])

  addExamples(command.command('list'), ['tollgate operator list'])
    .description('List all operators, oldest account first.')
    .option('--json', 'print {"items"}')
    .action(async ({ json }: JsonOption) => {
      const items = await context.registry((stores) => stores.operators.list())
      output.result(json, { items }, () => drawTable(items, developerColumns))
    })

  addExamples(command.command('add <email>'), [
    'tollgate operator add olga@bank.example --name "Olga Levin"',
  ])
    .description(
      'Make a developer an operator, end their sessions and print the link that sets up a second factor. If no account has the email address, create one.',
    )
    .option('--name <name>', 'display name of a new account')
    .option('--staff-id <id>', 'personnel number that the audit log names (default: a random id)')
    .option('--json', 'print the developer with "enrolUrl" (null if the account needs no link)')
    .action(async (email: string, { name = '', staffId, json }: AddOptions) => {
      const { added, token } = await context.registry(async (stores) => {
        const { id } = await findOrMake(stores, { email, name, by })
        const added = await stores.operators.add({ id, staffId, by })
        return { added, token: await stores.factors.issueEnrolment({ developerId: id, by }) }
      })
      const enrolUrl = await enrolmentUrl(context, token)
      output.result(json, { ...added, enrolUrl }, () => drawFields({ ...added }))
      if (json !== true) output.note(enrolmentNote(enrolUrl))
    })

  addExamples(command.command('reset-factor <developer>'), [
    'tollgate operator reset-factor olga@bank.example',
  ])
    .description(
      'Remove all second factors and recovery codes of a developer who lost them, and end the sessions. For an operator, also print a new link that sets up a second factor.',
    )
    .option(
      '--json',
      'print the developer with "enrolUrl" (null if the developer is not an operator)',
    )
    .action(async (reference: string, { json }: JsonOption) => {
      const { found, token } = await context.registry(async (stores) => {
        const { id: developerId } = await findDeveloper(stores, reference)
        const found = await stores.factors.reset({ developerId, by })
        const token = found.isOperator
          ? await stores.factors.issueEnrolment({ developerId, by })
          : undefined
        return { found, token }
      })
      const enrolUrl = await enrolmentUrl(context, token)
      output.result(json, { ...found, enrolUrl }, () => drawFields({ ...found }))
      if (json === true) return
      output.note(
        found.isOperator
          ? enrolmentNote(enrolUrl)
          : 'The developer now signs in with the password alone.',
      )
    })

  addExamples(command.command('remove <developer>'), ['tollgate operator remove olga@bank.example'])
    .description('Remove the operator role. The developer account stays.')
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
  { developers }: Stores,
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

/** Without an address of the portal: the path. */
async function enrolmentUrl(
  context: CommandContext,
  token: string | undefined,
): Promise<string | null> {
  if (token === undefined) return null
  const { portal = '' } = await findAddresses(context.settings())
  return `${portal}${pagePaths.enrol}#token=${token}`
}

function enrolmentNote(enrolUrl: string | null): string {
  if (enrolUrl === null)
    return 'The account needs no link: it already has a second factor or signs in through the OpenID Connect provider.'
  const where = enrolUrl.startsWith('/') ? 'Open this path of the portal' : 'Open this link'
  return `${where} to set up a second factor. It works once and expires after one hour. Give it only to the operator:\n${enrolUrl}`
}
