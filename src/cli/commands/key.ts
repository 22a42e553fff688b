import type { Command } from 'commander'
import type { Stores } from '../../portal/stores/stores.ts'
import type { ApiKey, IssuedKey } from '../../registry/keys/key-rows.ts'
import { isWorking, keyState } from '../../registry/keys/key-state.ts'
import { RegistryNotFound } from '../../registry/registry-errors.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findId } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { collect, type JsonOption, momentForms, parseMoment, parseWhole } from './options.ts'

interface ListOptions extends JsonOption {
  readonly application?: string
  readonly pepperVersion?: number
}

interface IssueOptions extends JsonOption, AddressOption {
  readonly application: string
  readonly name?: string
  readonly expires?: Date
}

export function registerKey(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate key list --application "Budget app"',
    'tollgate key issue --application "Budget app" --name laptop --expires +90d',
    'tollgate key rotate tg_8sK2mQ4vXw1z --overlap 3600',
  ]).description(
    'Manage the API keys of applications. Name a key by its hint, its id or the first characters of its id.',
  )

  const withState = (item: ApiKey) => ({ ...item, state: keyState(item, context.now()) })

  /** @param more additional members of the JSON */
  function show(json: boolean | undefined, item: ApiKey, more: object = {}): void {
    const shown = withState(item)
    output.result(json, { ...shown, ...more }, () => drawFields(cellsOf(shown)))
  }

  function showNew(json: boolean | undefined, item: IssuedKey): void {
    const issued = { ...item, state: keyState(item, context.now()) }
    output.result(json, issued, () => drawFields(cellsOf(issued)))
    if (json !== true) output.note('The key is shown only now. Keep it safe.')
  }

  addExamples(command.command('list'), [
    'tollgate key list --application "Budget app"',
    'tollgate key list --pepper-version 1',
  ])
    .description(
      'List all keys of an application, including revoked and expired keys, oldest first. Or list the working keys of all applications that still need a version of KEY_PEPPER.',
    )
    .option('--application <application>', 'its name or id')
    .option(
      '--pepper-version <version>',
      'a version of KEY_PEPPER that you want to remove',
      (text) => parseWhole(text, 1, 999_999),
    )
    .option('--json', 'print {"items"}')
    .action(async ({ application, pepperVersion, json }: ListOptions) => {
      if ((application === undefined) === (pepperVersion === undefined)) {
        throw new CommandError('give either --application or --pepper-version')
      }
      const items = await context.registry(async (stores) => {
        if (pepperVersion !== undefined) return stores.keys.underPepper(pepperVersion)
        const { id: applicationId } = await findApplication(stores, application ?? '')
        return stores.keys.list({ applicationId })
      })
      output.result(json, { items: items.map(withState) }, () =>
        drawTable(items.map(withState), {
          id: 'id',
          ...(pepperVersion === undefined ? {} : { application: 'applicationId' }),
          name: 'name',
          hint: 'hint',
          state: 'state',
          created: 'createdAt',
          'last used': 'lastUsedAt',
          expires: 'expiresAt',
        }),
      )
    })

  addExamples(command.command('show <key>'), ['tollgate key show tg_8sK2mQ4vXw1z'])
    .description('Show what is stored about a key. The key itself is shown only when it is issued.')
    .option('--json', 'print the stored key')
    .action(async (reference: string, { json }: JsonOption) => {
      const found = await context.registry(async (stores) => {
        const id = await findKeyId(stores, reference)
        const found = await stores.keys.find(id)
        if (found === undefined) throw new RegistryNotFound('key', id)
        return found
      })
      show(json, found)
    })

  addExamples(command.command('issue'), [
    'tollgate key issue --application "Budget app" --name laptop --expires +90d',
    'tollgate key issue --application "Budget app" --from 192.0.2.7 --from 2001:db8::/32',
  ])
    .description('Issue a key. It is shown only once.')
    .requiredOption('--application <application>', 'its name or id')
    .option('--name <name>', "unique among the application's active keys")
    .option('--expires <time>', `when the key stops working (${momentForms})`, (text) =>
      parseMoment(text, context.now()),
    )
    .option('--from <address>', addressHelp, collect)
    .option('--json', 'print the key with "key"')
    .action(async ({ application, name, expires, from, json }: IssueOptions) => {
      const issued = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.keys.issue({
          applicationId,
          name,
          expiresAt: expires,
          by,
          allowedAddresses: from,
        })
      })
      showNew(json, issued)
    })

  addExamples(command.command('rotate <key>'), [
    'tollgate key rotate tg_8sK2mQ4vXw1z',
    'tollgate key rotate tg_8sK2mQ4vXw1z --overlap 0',
  ])
    .description('Replace a key with a new one. The new key is shown only once.')
    .option(
      '--overlap <seconds>',
      'how long the old key keeps working',
      (text) => parseWhole(text, 0, 2_592_000),
      3600,
    )
    .option('--json', 'print the new key with "key"')
    .action(async (reference: string, { overlap, json }: JsonOption & { overlap: number }) => {
      const issued = await context.registry(async (stores) => {
        const id = await findKeyId(stores, reference)
        return stores.keys.rotate({ id, overlapSeconds: overlap, by })
      })
      showNew(json, issued)
    })

  addExamples(command.command('allow <key>'), [
    'tollgate key allow tg_8sK2mQ4vXw1z --from 192.0.2.7 --from 2001:db8::/32',
    'tollgate key allow tg_8sK2mQ4vXw1z',
  ])
    .description('Set the addresses from which a key may be used. Without --from: any address.')
    .option('--from <address>', addressHelp, collect)
    .option('--json', 'print the changed key')
    .action(async (reference: string, { from = [], json }: JsonOption & AddressOption) => {
      const changed = await context.registry(async (stores) => {
        const id = await findKeyId(stores, reference)
        return stores.keys.update({ id, allowedAddresses: from, by })
      })
      show(json, changed)
    })

  addExamples(command.command('revoke <key>'), ['tollgate key revoke tg_8sK2mQ4vXw1z'])
    .description(
      'Revoke a key. Every gateway refuses it within a second. If a rotation replaced it, names the newer keys that still work.',
    )
    .option('--json', 'print the revoked key with "livingSuccessors"')
    .action(async (reference: string, { json }: JsonOption) => {
      const { revoked, living } = await context.registry(async (stores) => {
        const id = await findKeyId(stores, reference)
        const revoked = await stores.keys.revoke({ id, by })
        return { revoked, living: await livingSuccessors(stores, revoked) }
      })
      show(json, revoked, { livingSuccessors: living.map(({ id }) => id) })
      if (json === true) return
      for (const { id, hint } of living) {
        output.note(
          `${hint} has replaced it and still works. If it may have leaked too: tollgate key revoke tg_${id}`,
        )
      }
    })

  /** The successors of a key that still work, oldest first. */
  async function livingSuccessors(
    { keys }: Pick<Stores, 'keys'>,
    { replacedBy }: ApiKey,
  ): Promise<readonly ApiKey[]> {
    const living: ApiKey[] = []
    for (let next = replacedBy; next !== null; ) {
      const successor = await keys.find(next)
      if (successor === undefined) break
      if (isWorking(successor, context.now())) living.push(successor)
      next = successor.replacedBy
    }
    return living
  }
}

/** Joins the addresses into one cell. */
function cellsOf<Item extends ApiKey>({ allowedAddresses, ...item }: Item) {
  return { ...item, allowedAddresses: allowedAddresses.join(', ') || 'any' }
}

interface AddressOption {
  readonly from?: readonly string[]
}

const addressHelp =
  'an address or CIDR from which the key may be used; repeat the option for several'

function findKeyId(stores: Stores, reference: string): Promise<string> {
  return findId(stores, 'key', publicId(reference))
}

/** Extracts the public id from a hint or a whole key, because messages must not repeat the secret part. */
function publicId(reference: string): string {
  return /^tg_([0-9A-Za-z]{12})(?:_|$)/.exec(reference)?.[1] ?? reference
}
