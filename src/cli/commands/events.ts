import type { Command } from 'commander'
import type { Stores } from '../../portal/stores/stores.ts'
import type { SecurityEventFilter } from '../../registry/audit/security-event-log.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findDeveloper } from '../find.ts'
import { drawTable } from '../output.ts'
import {
  earlierForms,
  type JsonOption,
  parseEarlierMoment,
  parseLimit,
  parseWhole,
} from './options.ts'

interface FilterOptions {
  readonly event?: string
  readonly application?: string
  readonly developer?: string
  readonly party?: string
  readonly key?: string
  readonly from?: Date
  readonly until?: Date
}

interface ListOptions extends FilterOptions, JsonOption {
  readonly limit: number
  readonly after?: number
}

/** Rows of an export that are read at a time. */
const rowsPerPage = 1_000

export function registerEvents(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate events list --event sign-in.refused --from -24h',
    'tollgate events export --from 2026-11-22 --until 2026-11-23 > events.jsonl',
  ]).description(
    'List and export security events: refused sign-ins and keys, operators’ reads, and more. Each use of these commands is itself an event.',
  )

  /** Adds what both commands can choose. */
  function addFilter(registered: Command): Command {
    const parse = (text: string) => parseEarlierMoment(text, context.now())
    return registered
      .option('--event <event>', 'only this event (e.g. key.refused)')
      .option('--application <application>', 'only about this application, by name or id')
      .option('--developer <developer>', 'only by or about this developer, by email or id')
      .option('--party <party>', 'only by or about this party (e.g. staff:E-4711)')
      .option('--key <id>', 'only about the API key with this public part')
      .option('--from <time>', `not before this time (${earlierForms})`, parse)
      .option('--until <time>', 'before this time', parse)
  }

  /** Records that the events were read, and by whom. The log and the metrics belong to the processes that serve. */
  function recordRead(
    stores: Stores,
    { parties = [] }: SecurityEventFilter,
    name: string,
  ): Promise<void> {
    const unknown = { reason: null, keyId: null, address: null, agent: null, requestId: null }
    return stores.securityEvents.write([
      {
        ...unknown,
        at: new Date(context.now()),
        event: 'operator.read',
        actor: by,
        subject: parties[0] ?? null,
        detail: { command: `events ${name}` },
      },
    ])
  }

  addExamples(addFilter(command.command('list')), [
    'tollgate events list --event sign-in.refused --from -24h',
    'tollgate events list --application "Budget app" --json',
  ])
    .description('List security events, newest first.')
    .option('--limit <count>', 'at most this many', parseLimit, 100)
    .option('--after <id>', 'continue with events older than the event with this id', (text) =>
      parseWhole(text, 0, 9_999_999_999),
    )
    .option('--json', 'print {"items"}')
    .action(async ({ limit, after, json, ...options }: ListOptions) => {
      const items = await context.registry(async (stores) => {
        const filter = await filterOf(stores, options)
        const found = await stores.securityEvents.list({ ...filter, limit, after })
        await recordRead(stores, filter, 'list')
        return found
      })
      output.result(json, { items }, () =>
        drawTable(items, {
          id: 'id',
          time: 'at',
          event: 'event',
          reason: 'reason',
          actor: 'actor',
          subject: 'subject',
          key: 'keyId',
          address: 'address',
        }),
      )
    })

  addExamples(addFilter(command.command('export')), [
    'tollgate events export --from 2026-11-22 --until 2026-11-23 > events.jsonl',
  ])
    .description(
      'Print security events as JSON lines, oldest first. They contain client addresses and browsers, which are personal data.',
    )
    .action((options: FilterOptions) =>
      context.registry(async (stores) => {
        const filter = await filterOf(stores, options)
        await recordRead(stores, filter, 'export')
        let after: number | undefined
        for (;;) {
          const page = { ...filter, after, limit: rowsPerPage, first: 'oldest' } as const
          const rows = await stores.securityEvents.list(page)
          for (const row of rows) output.line(JSON.stringify(row))
          after = rows.at(-1)?.id
          if (rows.length < rowsPerPage) return
        }
      }),
    )
}

async function filterOf(
  stores: Stores,
  { event, application, developer, party, key, from, until }: FilterOptions,
): Promise<SecurityEventFilter> {
  if (event !== undefined) await checkEvent(event)
  const parties = [
    ...(application === undefined
      ? []
      : [`application:${(await findApplication(stores, application)).id}`]),
    ...(developer === undefined
      ? []
      : [`developer:${(await findDeveloper(stores, developer)).id}`]),
    ...(party === undefined ? [] : [party]),
  ]
  return {
    event,
    from,
    until,
    keyId: key,
    parties: parties.length === 0 ? undefined : parties,
  }
}

/** @throws {UsageError} for a name that no row can have */
async function checkEvent(event: string): Promise<void> {
  // Not loaded for the help.
  const { securityEvents } = await import('../../platform/log/security-events.ts')
  const names = Object.entries(securityEvents).flatMap(([name, { isChange }]) =>
    isChange ? [] : name,
  )
  if (names.includes(event)) return
  throw new UsageError(`--event must be one of ${names.join(', ')}`)
}
