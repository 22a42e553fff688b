import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type Explanation, explain } from '../../gateway/explain.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { withCounters } from '../counters-session.ts'
import { drawFields, drawTable } from '../output.ts'
import { withRegistry } from '../registry-session.ts'
import type { JsonOption } from './options.ts'

export function registerExplain(program: Command, context: CommandContext): void {
  program
    .command('explain')
    .summary('say what the gateway would do with a call, and why')
    .description(
      'Runs the checks of the gateway over a call without counting or forwarding it. Exit code 0 whatever the decision.',
    )
    .argument('<method>', 'of the call (e.g. GET)')
    .argument('<target>', 'path and query (e.g. /v1.7.0/accounts)')
    .option(
      '--key <->',
      'read the API key from standard input (it is no argument: those can be seen)',
    )
    .option('--json', 'print the explanation')
    .action(async (method: string, target: string, options: JsonOption & { key?: string }) => {
      if (options.key !== undefined && options.key !== '-') {
        throw new UsageError('--key takes only "-": give the key on standard input')
      }
      const key = options.key === undefined ? undefined : (await text(context.stdin)).trim()
      const catalogue = await context.catalogue()
      const explanation = await withRegistry(context.settings(), (stores) =>
        explain({
          method,
          target,
          key,
          catalogue,
          registry: {
            authenticate(presented, done) {
              stores.recognise(presented).then(done, () => done('unreachable'))
            },
          },
          counter: {
            peek: (buckets) =>
              withCounters(context.settings(), (counters) => counters.peek(buckets)),
          },
          now: context.now,
        }),
      )
      context.output.result(options.json, explanation, () => draw(explanation))
    })
}

function draw({ limits, passed, ...fields }: Explanation): string {
  const cells = Object.entries(fields).map(([name, value]) => [name, value ?? null] as const)
  const summary = drawFields({
    ...Object.fromEntries(cells),
    passed: passed.join(', ') || '(none)',
  })
  if (limits === undefined) return summary
  const table = drawTable(
    ['limit', 'calls', 'window (s)', 'used', 'resets in (s)', 'bucket'],
    limits.map((limit) => [
      limit.name,
      callsCell(limit),
      limit.windowSeconds,
      limit.used,
      limit.resetSeconds,
      limit.bucket,
    ]),
  )
  return `${summary}\n${table}`
}

/** The number of calls, and where an operator set it, until when. */
function callsCell({ calls, override }: NonNullable<Explanation['limits']>[number]): string {
  if (override === undefined) return String(calls)
  return `${calls} (override until ${override.until}, then ${override.planCalls})`
}
