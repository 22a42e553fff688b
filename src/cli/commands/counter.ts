import type { Command } from 'commander'
import { type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import {
  type CountedLimit,
  countedLimits,
  type LimitUse,
  limitUse,
} from '../../gateway/counters/counted-limits.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import { CommandError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication } from '../find.ts'
import { drawTable } from '../output.ts'
import type { JsonOption } from './options.ts'

interface CounterOptions extends JsonOption {
  readonly application: string
  readonly api?: string
  readonly operation?: string
  /** Include limits of which nothing is used. */
  readonly all?: boolean
}

interface Counted {
  readonly applicationId: string
  readonly limits: readonly CountedLimit[]
}

export function registerCounter(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate counter list --application "Budget app"',
    'tollgate counter reset --application "Budget app" --api xs2a@1.7.0 --operation listAccounts',
  ])

  async function countedOf(options: CounterOptions): Promise<Counted> {
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
      const { limits } = await countedOf(options)
      const items = await read(context, limits)
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
      const { applicationId, limits } = await countedOf(options)
      const details = await context.counters(async (counters) => {
        const all: { bucket: string; epoch?: string }[] = []
        for (const { peeked } of limits) {
          const epoch = await counters.reset(peeked)
          all.push({
            bucket: peeked.bucket,
            ...(epoch === undefined ? {} : { epoch: String(epoch) }),
          })
        }
        return all
      })
      await context.registry(async (stores) => {
        // Processes that have the limit as used up would go on refusing without asking the store.
        for (const detail of details) {
          await stores.changes.announce(
            { kind: 'counter', action: 'reset', applicationId, detail },
            { by: context.actor },
          )
        }
      })
      const items = await read(context, limits)
      context.output.result(options.json, { items }, () => draw(items))
    })
}

async function read(
  context: CommandContext,
  limits: readonly CountedLimit[],
): Promise<readonly LimitUse[]> {
  const states = await context.counters((counters) =>
    counters.peek(limits.map(({ peeked }) => peeked)),
  )
  return limits.flatMap((counted, at) => {
    const state = states[at]
    return state === undefined ? [] : [limitUse(counted, state, context.now())]
  })
}

function draw(items: readonly LimitUse[]): string {
  return drawTable(items, {
    api: 'api',
    version: 'version',
    operation: ({ operation }) => operation ?? '(all)',
    limit: 'limit',
    used: 'used',
    remaining: 'remaining',
    resets: 'resetsAt',
  })
}

/** Every limit of the application's active subscriptions that the options select. */
async function listCounted(
  stores: Stores,
  catalogue: Catalogue,
  options: CounterOptions,
  now: () => number,
): Promise<Counted> {
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
  const limits = countedLimits({
    applicationId,
    subscriptions: chosen,
    overrides,
    catalogue,
    nowMs: now(),
  })
  const { operation } = options
  return { applicationId, limits: operation === undefined ? limits : only(limits, operation) }
}

function only(limits: readonly CountedLimit[], operation: string): readonly CountedLimit[] {
  const found = limits.filter((limit) => limit.operation === operation)
  if (found.length > 0) return found
  const all = [...new Set(limits.flatMap((limit) => limit.operation ?? []))].join(', ')
  throw new CommandError(`no operation ${operation}; choose one of: ${all}`)
}
