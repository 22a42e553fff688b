import { isIP } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Explanation } from '../../gateway/explain.ts'
import { windowText } from '../../portal/api/schemas/window-text.ts'
import { UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { drawFields, drawTable } from '../output.ts'
import { describeDecision } from './describe-decision.ts'
import type { JsonOption } from './options.ts'

interface ExplainOptions extends JsonOption {
  readonly key?: string
  readonly from?: string
  readonly verbose?: boolean
}

export function registerExplain(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate explain GET /v1.7.0/accounts --key - < key.txt',
    'echo "$KEY" | tollgate explain POST /v1.7.0/consents --key - --verbose',
  ])
    .description(
      'Show what the gateway would do with a call, and why. Runs the same checks; counts and forwards nothing. The exit code is 0 whether the call is allowed or refused.',
    )
    .argument('<method>', 'HTTP method (e.g. GET)')
    .argument('<target>', 'path and query (e.g. /v1.7.0/accounts)')
    .option(
      '--key <->',
      'read the API key from standard input (as an argument it would show in the process list)',
    )
    .option(
      '--from <address>',
      "the client's address, for a key with a list of addresses",
      (text) => {
        if (isIP(text) === 0) throw new UsageError(`--from ${text} is not an IP address`)
        return text
      },
    )
    .option('--verbose', 'also show the checks passed, the ids and the counters')
    .option('--json', 'print the explanation')
    .action(async (method: string, target: string, options: ExplainOptions) => {
      if (options.key !== undefined && options.key !== '-') {
        throw new UsageError('--key takes only "-": give the key on standard input')
      }
      const key = options.key === undefined ? undefined : (await text(context.stdin)).trim()
      const [catalogue, { explain }] = await Promise.all([
        context.catalogue(),
        import('../../gateway/explain.ts'),
      ])
      const { explanation, applicationName } = await context.registry(async (stores) => {
        const explanation = await explain({
          method,
          target,
          key,
          address: options.from,
          catalogue,
          registry: {
            authenticate(presented, done) {
              stores.recognise(presented).then(done, () => done('unreachable'))
            },
          },
          counter: {
            peek: (buckets) => context.counters((counters) => counters.peek(buckets)),
          },
          now: context.now,
        })
        const { applicationId } = explanation
        const application =
          applicationId === undefined ? undefined : await stores.applications.find(applicationId)
        return { explanation, applicationName: application?.name }
      })
      context.output.result(options.json, explanation, () => {
        const now = new Date(context.now())
        const sentence = describeDecision(explanation, { applicationName, now })
        return options.verbose === true ? `${sentence}\n\n${drawDetails(explanation)}` : sentence
      })
    })
}

function drawDetails({ limits, passed, ...fields }: Explanation): string {
  const cells = Object.entries(fields).map(([name, value]) => [name, value ?? null] as const)
  const summary = drawFields({
    ...Object.fromEntries(cells),
    passed: passed.join(', ') || '(none)',
  })
  if (limits === undefined) return summary
  const table = drawTable(limits, {
    limit: ({ name, isAdvertised }) => (isAdvertised ? name : `${name} (not advertised)`),
    calls: callsCell,
    window: windowText,
    used: 'used',
    'resets in (s)': 'resetSeconds',
    bucket: 'bucket',
  })
  return `${summary}\n${table}`
}

/** The number of calls, with the override that set it. */
function callsCell({ calls, override }: NonNullable<Explanation['limits']>[number]): string {
  if (override === undefined) return String(calls)
  return `${calls} (override until ${override.until}, then ${override.planCalls})`
}
