import type { Command } from 'commander'
import { versionKey } from '../../catalogue/catalogue.ts'
import { RegistryNotFound } from '../../gateway/registry/registry-errors.ts'
import type { Subscription } from '../../gateway/registry/subscriptions.ts'
import type { CommandContext } from '../context.ts'
import { drawFields, drawTable } from '../output.ts'
import { choose, choosePlan } from '../published.ts'
import { withRegistry } from '../registry-session.ts'
import type { JsonOption } from './options.ts'

interface AddOptions extends JsonOption {
  readonly application: string
  readonly api: string
  readonly plan?: string
}

export function registerSubscription(program: Command, context: CommandContext): void {
  const { output, actor: by } = context
  const subscription = program
    .command('subscription')
    .description('which API versions an application may call, under which plan')

  function show(json: boolean | undefined, changed: Subscription): void {
    output.result(json, changed, () => drawFields({ ...changed }))
  }

  subscription
    .command('list')
    .description('the subscriptions of an application, oldest first')
    .requiredOption('--application <id>', 'the application')
    .option('--all', 'those that have ended too')
    .option('--json', 'print {"items"}')
    .action(async (options: JsonOption & { application: string; all?: boolean }) => {
      const { application: applicationId, all: withEnded = false, json } = options
      const items = await withRegistry(context.settings(), async (stores) => {
        const found = await stores.applications.find(applicationId)
        if (found === undefined) throw new RegistryNotFound('application', applicationId)
        return stores.subscriptions.list({ applicationId, withEnded })
      })
      output.result(json, { items }, () =>
        drawTable(
          ['id', 'api', 'plan', 'created', 'ended'],
          items.map((item) => [
            item.id,
            versionKey(item.api, item.version),
            item.plan,
            item.createdAt,
            item.endedAt,
          ]),
        ),
      )
    })

  subscription
    .command('add')
    .description('subscribe an application to an API version')
    .requiredOption('--application <id>', 'the application')
    .requiredOption('--api <api@version>', 'the API version (e.g. xs2a@1.7.0)')
    .option('--plan <plan>', 'the plan')
    .option('--json', 'print the subscription')
    .action(async ({ application: applicationId, api: text, plan, json }: AddOptions) => {
      const catalogue = await context.catalogue()
      const choice = choose({ catalogue, text, plan, now: context.now() })
      show(
        json,
        await withRegistry(context.settings(), (stores) =>
          stores.subscriptions.add({ applicationId, ...choice, by }),
        ),
      )
    })

  subscription
    .command('change <id>')
    .description('move a subscription to another plan; what was counted stays counted')
    .requiredOption('--plan <plan>', 'the new plan')
    .option('--json', 'print the subscription')
    .action(async (id: string, { plan, json }: JsonOption & { plan: string }) => {
      const catalogue = await context.catalogue()
      const changed = await withRegistry(context.settings(), async (stores) => {
        const found = await stores.subscriptions.find(id)
        if (found === undefined) throw new RegistryNotFound('subscription', id)
        const key = versionKey(found.api, found.version)
        choosePlan(catalogue.versions.get(key)?.plans ?? [], key, plan)
        return stores.subscriptions.change({ id, plan, by })
      })
      show(json, changed)
    })

  subscription
    .command('remove <id>')
    .description('end a subscription')
    .option('--json', 'print the subscription')
    .action(async (id: string, { json }: JsonOption) => {
      show(
        json,
        await withRegistry(context.settings(), (stores) => stores.subscriptions.end({ id, by })),
      )
    })
}
