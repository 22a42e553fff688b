import type { Command } from 'commander'
import { type ApiKey, type IssuedKey, keyState } from '../../gateway/registry/keys.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
import { type JsonOption, parseMoment, parseWhole } from './options.ts'

interface IssueOptions extends JsonOption {
  readonly application: string
  readonly name?: string
  readonly expires?: Date
}

export function registerKey(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const key = program.command('key').description('API keys of applications')

  const withState = (item: ApiKey) => ({ ...item, state: keyState(item, context.now()) })

  function show(json: boolean | undefined, item: ApiKey): void {
    output.result(json, withState(item), () => drawFields(withState(item)))
  }

  function showNew(json: boolean | undefined, item: IssuedKey): void {
    output.result(json, { ...item, state: keyState(item, context.now()) }, () =>
      drawFields({ ...item, state: keyState(item, context.now()) }),
    )
    if (json !== true) output.note('The key is shown only now. Keep it safe.')
  }

  key
    .command('list')
    .description('every key an application ever had, oldest first')
    .requiredOption('--application <id>', 'the application')
    .option('--json', 'print {"items"}')
    .action(async ({ application: applicationId, json }: JsonOption & { application: string }) => {
      const items = await withRegistry(context.settings(), async (stores) => {
        const found = await stores.applications.find(applicationId)
        if (found === undefined) throw new RegistryNotFound('application', applicationId)
        return stores.keys.list({ applicationId })
      })
      output.result(json, { items: items.map(withState) }, () =>
        drawTable(
          ['id', 'name', 'hint', 'state', 'created', 'last used', 'expires'],
          items
            .map(withState)
            .map((item) => [
              item.id,
              item.name,
              item.hint,
              item.state,
              item.createdAt,
              item.lastUsedAt,
              item.expiresAt,
            ]),
        ),
      )
    })

  key
    .command('show <id>')
    .description('one key (never the key itself: that is shown once)')
    .option('--json', 'print it')
    .action(async (reference: string, { json }: JsonOption) => {
      const id = keyId(reference)
      const found = await withRegistry(context.settings(), (stores) => stores.keys.find(id))
      if (found === undefined) throw new RegistryNotFound('key', id)
      show(json, found)
    })

  key
    .command('issue')
    .description('make a key; it is shown only now')
    .requiredOption('--application <id>', 'the application')
    .option('--name <name>', 'unique among its active keys')
    .option('--expires <time>', 'when it stops working (e.g. 2027-01-31)', parseMoment)
    .option('--json', 'print it with "key"')
    .action(async ({ application: applicationId, name, expires, json }: IssueOptions) => {
      const issued = await withRegistry(context.settings(), (stores) =>
        stores.keys.issue({ applicationId, name, expiresAt: expires, by }),
      )
      showNew(json, issued)
    })

  key
    .command('rotate <id>')
    .description('put a new key in the place of another; the new one is shown only now')
    .option(
      '--overlap <seconds>',
      'how long the old one works beside the new one',
      (text) => parseWhole(text, 0, 2_592_000),
      3600,
    )
    .option('--json', 'print the new one with "key"')
    .action(async (reference: string, { overlap, json }: JsonOption & { overlap: number }) => {
      const issued = await withRegistry(context.settings(), (stores) =>
        stores.keys.rotate({ id: keyId(reference), overlapSeconds: overlap, by }),
      )
      showNew(json, issued)
    })

  key
    .command('revoke <id>')
    .description('refuse a key from now on, everywhere within a second')
    .option('--json', 'print it')
    .action(async (reference: string, { json }: JsonOption) => {
      show(
        json,
        await withRegistry(context.settings(), (stores) =>
          stores.keys.revoke({ id: keyId(reference), by }),
        ),
      )
    })
}

/** The public id, also out of a hint or a whole key: the rest of a key is none of our business and not repeated. */
function keyId(reference: string): string {
  return /^tg_([0-9A-Za-z]{12})(?:_|$)/.exec(reference)?.[1] ?? reference
}
