import type { Command } from 'commander'
import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { countedLimits } from '../../gateway/counters/counted-limits.ts'
import { type PeekedBucket, windowEnd } from '../../gateway/counters/counter.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import type { RegistryStores } from '../../gateway/registry/stores.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { withCounters } from '../counters-session.ts'
import { drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
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
}

interface Counted {
  readonly bucket: PeekedBucket
  readonly describe: (state: { count: number; resetMs: number }) => CounterItem
}

export function registerCounter(program: Command, context: CommandContext): void {
  const counter = program.command('counter').description('counts of the current windows')

  async function countedOf(options: CounterOptions): Promise<readonly Counted[]> {
    const catalogue = await context.catalogue()
    return withRegistry(context.settings(), (stores) =>
      listCounted(stores, catalogue, options, context.now),
    )
  }

  counter
    .command('list')
    .description('what an application has used of its limits')
    .requiredOption('--application <id>', 'the application')
    .option('--api <api@version>', 'only this version')
    .option('--operation <id>', 'only this operation')
    .option('--json', 'print {"items"}')
    .action(async (options: CounterOptions) => {
      const items = await read(context, await countedOf(options))
      context.output.result(options.json, { items }, () => draw(items))
    })

  counter
    .command('reset')
    .description('set counts of the current window to zero, in every process')
    .requiredOption('--application <id>', 'the application')
    .requiredOption('--api <api@version>', 'the version')
    .option('--operation <id>', 'the operation; without it all of the version')
    .option('--json', 'print {"items"}')
    .action(async (options: CounterOptions) => {
      const counted = await countedOf(options)
      await withCounters(context.settings(), async (counters) => {
        for (const { bucket } of counted) await counters.reset(bucket)
      })
      await withRegistry(context.settings(), async (stores) => {
        for (const { bucket } of counted) {
          // Processes that know the bucket to be empty would go on refusing without asking.
          await stores.changes.announce(
            {
              kind: 'counter',
              action: 'reset',
              applicationId: options.application,
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
  const states = await withCounters(context.settings(), (counters) =>
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
  const applicationId = options.application
  if ((await stores.applications.find(applicationId)) === undefined) {
    throw new RegistryNotFound('application', applicationId)
  }
  const subscriptions = await stores.subscriptions.list({ applicationId })
  const chosen = subscriptions.filter(
    ({ api, version }) => options.api === undefined || options.api === versionKey(api, version),
  )
  if (chosen.length === 0) {
    const all = subscriptions.map(({ api, version }) => versionKey(api, version)).join(', ')
    throw new CommandError(
      `the application has no subscription to ${options.api ?? 'anything'}; it has: ${all || '(none)'}`,
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
      bucket: peeked,
      describe: ({ count, resetMs }) => ({
        api,
        version,
        operation,
        limitName: limit.name,
        limit: limit.calls,
        used: count,
        remaining: Math.max(0, limit.calls - count),
        resetsAt: new Date(windowEnd(now(), resetMs)),
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
  throw new CommandError(`there is no operation ${operation}; there are: ${all}`)
}
