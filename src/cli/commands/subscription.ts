import type { Command } from 'commander'
import { versionKey } from '../../catalogue/catalogue.ts'
import type { Subscription } from '../../registry/applications/subscriptions.ts'
import { RegistryNotFound } from '../../registry/registry-errors.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { findApplication, findId } from '../find.ts'
import { drawFields, drawTable } from '../output.ts'
import { choose, choosePlan } from '../published.ts'
import type { JsonOption } from './options.ts'

interface AddOptions extends JsonOption {
  readonly application: string
  readonly api: string
  readonly plan?: string
}

export function registerSubscription(command: Command, context: CommandContext): void {
  const { output, actor: by } = context
  addExamples(command, [
    'tollgate subscription list --application "Budget app"',
    'tollgate subscription add --application "Budget app" --api xs2a@1.7.0',
  ])

  function show(json: boolean | undefined, changed: Subscription): void {
    output.result(json, changed, () => drawFields({ ...changed }))
  }

  addExamples(command.command('list'), ['tollgate subscription list --application "Budget app"'])
    .description('List the subscriptions of an application, oldest first.')
    .requiredOption('--application <application>', 'its name or id')
    .option('--all', 'include ended subscriptions')
    .option('--json', 'print {"items"}')
    .action(async (options: JsonOption & { application: string; all?: boolean }) => {
      const { application, all: withEnded = false, json } = options
      const items = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.subscriptions.list({ applicationId, withEnded })
      })
      output.result(json, { items }, () =>
        drawTable(items, {
          id: 'id',
          api: ({ api, version }) => versionKey(api, version),
          plan: 'plan',
          created: 'createdAt',
          ended: 'endedAt',
        }),
      )
    })

  addExamples(command.command('add'), [
    'tollgate subscription add --application "Budget app" --api xs2a@1.7.0',
  ])
    .description('Subscribe an application to an API version.')
    .requiredOption('--application <application>', 'its name or id')
    .requiredOption('--api <api@version>', 'the API version (e.g. xs2a@1.7.0)')
    .option('--plan <plan>', 'the plan; needed only if there are several and no "default"')
    .option('--json', 'print the subscription')
    .action(async ({ application, api: text, plan, json }: AddOptions) => {
      const catalogue = await context.catalogue()
      const choice = choose({ catalogue, text, plan, now: context.now() })
      const added = await context.registry(async (stores) => {
        const { id: applicationId } = await findApplication(stores, application)
        return stores.subscriptions.add({ applicationId, ...choice, by })
      })
      show(json, added)
    })

  addExamples(command.command('change <subscription>'), [
    'tollgate subscription change 7b1e --plan partner',
  ])
    .description('Move a subscription to another plan. Counts stay as they are.')
    .requiredOption('--plan <plan>', 'the new plan')
    .option('--json', 'print the subscription')
    .action(async (reference: string, { plan, json }: JsonOption & { plan: string }) => {
      const catalogue = await context.catalogue()
      const changed = await context.registry(async (stores) => {
        const id = await findId(stores, 'subscription', reference)
        const found = await stores.subscriptions.find(id)
        if (found === undefined) throw new RegistryNotFound('subscription', id)
        const key = versionKey(found.api, found.version)
        choosePlan(catalogue.versions.get(key)?.plans ?? [], key, plan)
        return stores.subscriptions.change({ id, plan, by })
      })
      show(json, changed)
    })

  addExamples(command.command('remove <subscription>'), ['tollgate subscription remove 7b1e'])
    .description('End a subscription.')
    .option('--json', 'print the subscription')
    .action(async (reference: string, { json }: JsonOption) => {
      const ended = await context.registry(async (stores) =>
        stores.subscriptions.end({ id: await findId(stores, 'subscription', reference), by }),
      )
      show(json, ended)
    })
}
