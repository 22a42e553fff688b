import type { Command } from 'commander'
import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { countedLimits } from '../../gateway/counters/counted-limits.ts'
import type { PeekedBucket } from '../../gateway/counters/counter.ts'
import { resetsAt } from '../../gateway/counters/window.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication } from '../find.ts'
import { drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

/** One limit of an application as it stands now. */
interface CounterItem {
  readonly api: string
  readonly version: string
  /** Null for a limit over the whole version. */
  readonly operation: string | null
  readonly limitName: string
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetsAt: Date
}

interface CounterOptions extends JsonOption {
  readonly application: string
  readonly api?: string
  readonly operation?: string
  /** Include limits of which nothing is used. */
  readonly all?: boolean
}

interface Counted {
  readonly applicationId: string
  readonly bucket: PeekedBucket
  readonly describe: (state: { count: number; resetMs: number }) => CounterItem
}

export function registerCounter(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate counter list --application "Budget app"',
    'tollgate counter reset --application "Budget app" --api xs2a@1.7.0 --operation listAccounts',
  ])

  async function countedOf(options: CounterOptions): Promise<readonly Counted[]> {
    const catalogue = await context.catalogue()
    return context.registry((stores) => listCounted(stores, catalogue, options, context.now))
  }

  addExamples(command.command('list'), [
    'tollgate counter list --application "Budget app"',
    'tollgate counter list --application "Budget app" --api xs2a@1.7.0 --all',
  ])
    .description('Show what an application has used of its limits, until each limit resets.')
    .requiredOption('--application <application>', 'its name or id')
    .option('--all', 'include limits that are unused')
    .option('--api <api@version>', 'only this version')
    .option('--operation <id>', 'only this operation')
    .option('--json', 'print {"items"}')
    .action(async (options: CounterOptions) => {
      const items = await read(context, await countedOf(options))
      const used = items.filter((item) => item.used > 0)
      context.output.result(options.json, { items }, () => draw(options.all ? items : used))
      const hidden = items.length - used.length
      if (options.json !== true && options.all !== true && hidden > 0) {
        context.output.note(`${hidden} unused limits are not shown; --all shows them.`)
      }
    })

  addExamples(command.command('reset'), [
    'tollgate counter reset --application "Budget app" --api xs2a@1.7.0 --operation listAccounts',
  ])
    .description('Set counts back to zero, in every process.')
    .requiredOption('--application <application>', 'its name or id')
    .requiredOption('--api <api@version>', 'the API version (e.g. xs2a@1.7.0)')
    .option('--operation <id>', 'one operation; without it, all operations of the version')
    .option('--json', 'print {"items"}')
    .action(async (options: CounterOptions) => {
      const counted = await countedOf(options)
      await context.counters(async (counters) => {
        for (const { bucket } of counted) await counters.reset(bucket)
      })
      await context.registry(async (stores) => {
        for (const { applicationId, bucket } of counted) {
          // Processes that have the limit as used up would go on refusing without asking the store.
          await stores.changes.announce(
            {
              kind: 'counter',
              action: 'reset',
              applicationId,
              detail: { bucket: bucket.bucket },
            },
            { by: context.actor },
          )
        }
      })
      const items = await read(context, counted)
      context.output.result(options.json, { items }, () => draw(items))
    })
}

async function read(
  context: CommandContext,
  counted: readonly Counted[],
): Promise<readonly CounterItem[]> {
  const states = await context.counters((counters) =>
    counters.peek(counted.map(({ bucket }) => bucket)),
  )
  return counted.flatMap(({ describe }, at) => {
    const state = states[at]
    return state === undefined ? [] : [describe(state)]
  })
}

function draw(items: readonly CounterItem[]): string {
  return drawTable(
    ['api', 'version', 'operation', 'limit', 'used', 'remaining', 'resets'],
    items.map((item) => [
      item.api,
      item.version,
      item.operation ?? '(all)',
      item.limit,
      item.used,
      item.remaining,
      item.resetsAt,
    ]),
  )
}

/** Every limit of the application's active subscriptions that the options select. */
async function listCounted(
  stores: RegistryStores,
  catalogue: Catalogue,
  options: CounterOptions,
  now: () => number,
): Promise<readonly Counted[]> {
  const { id: applicationId } = await findApplication(stores, options.application)
  const subscriptions = await stores.subscriptions.list({ applicationId })
  const chosen = subscriptions.filter(
    ({ api, version }) => options.api === undefined || options.api === versionKey(api, version),
  )
  if (chosen.length === 0) {
    const all = subscriptions.map(({ api, version }) => versionKey(api, version)).join(', ')
    throw new CommandError(
      `the application has no subscription to ${options.api ?? 'any API'}; its subscriptions: ${all || '(none)'}`,
    )
  }
  const overrides = await stores.overrides.list({ applicationId })
  const counted = countedLimits({
    applicationId,
    subscriptions: chosen,
    overrides,
    catalogue,
    nowMs: now(),
  }).map(
    ({ api, version, operation, limit, peeked }): Counted => ({
      applicationId,
      bucket: peeked,
      describe: ({ count, resetMs }) => ({
        api,
        version,
        operation,
        limitName: limit.name,
        limit: limit.calls,
        used: count,
        remaining: Math.max(0, limit.calls - count),
        resetsAt: new Date(resetsAt(now(), resetMs)),
      }),
    }),
  )
  return options.operation === undefined ? counted : onlyOperation(counted, options.operation)
}

function onlyOperation(counted: readonly Counted[], operation: string): readonly Counted[] {
  const nameOf = (item: Counted) => item.describe({ count: 0, resetMs: 0 }).operation
  const found = counted.filter((item) => nameOf(item) === operation)
  if (found.length > 0) return found
  const all = [...new Set(counted.flatMap((item) => nameOf(item) ?? []))].join(', ')
  throw new CommandError(`no operation ${operation}; choose one of: ${all}`)
}
