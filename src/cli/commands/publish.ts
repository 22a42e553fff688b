import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { commandName } from '../../platform/process/command-name.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { findAddresses } from '../addresses.ts'
import { CommandError, ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { printable } from '../output.ts'
import { backendOf } from '../publication/backend-of.ts'
import { type Judged, judge, type Refusal } from '../publication/judge.ts'
import { newPlanLimit } from '../publication/plan-with.ts'
import type { Proposal, ProposalOptions } from '../publication/propose.ts'
import { readSource } from '../publication/read-source.ts'
import { apply, isApplied } from '../publication/staging.ts'
import type { JsonOption } from './options.ts'

interface PublishOptions extends JsonOption, ProposalOptions {
  readonly dryRun?: boolean
}

export function registerPublish(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate publish openapi.yaml --backend http://10.0.0.7:3000',
    'tollgate publish https://api.example.com/openapi.json --backend http://10.0.0.7:3000 --api payments --dry-run',
  ])
    .description(
      'Publish an OpenAPI document: write it unchanged to CONFIG_DIR (default: the folder config), with an overlay for what only the gateway needs, and add the API to a plan. Checks everything first, and writes nothing if the gateway would refuse it (exit code 1). Where an overlay can mend the document, prints it; --mend saves it.',
    )
    .argument('<document>', 'a file, or a URL beginning with http:// or https://')
    .option('--backend <url>', 'where the gateway forwards its calls')
    .option('--api <name>', 'name of the API (default: made of info.title)')
    .option('--version <version>', 'version of the API (default: the numbers in info.version)')
    .option(
      '--prefix <path>',
      "path under which the gateway publishes it (default: that of the document's first server)",
    )
    .option('--plan <name>', 'the plan that gets it (default: the one that has it, else default)')
    .option('--mend', 'leave out paths that cannot be routed, and use a prefix that is free')
    .option('--replace', 'replace files of this version that are there')
    .option('--dry-run', 'write nothing')
    .option(
      '--json',
      'print {"outcome","api","version","prefix","operations","refused","warnings","leftOut","twins","mend"}; the outcome is published, unchanged, dry-run or refused',
    )
    .action(async (place: string, options: PublishOptions) => {
      const settings = context.settings()
      // The samples of a release are replaced by the next one, so nothing is written there.
      const configDir =
        (context.env['CONFIG_DIR'] ?? '') === '' ? resolve('config') : settings.configDir
      const samples = settings.configDir === configDir ? undefined : settings.configDir
      const { json } = options
      const source = await readSource(place).catch((error: unknown) => {
        if (json !== true || !(error instanceof CommandError)) throw error
        const { message } = error
        context.output.result(json, unread(place, message), () => message)
        throw new ReportedError()
      })
      const judged = await judge({ source, options, settings, configDir })
      const outcome = outcomeOf(judged, configDir, options)
      if (outcome === 'published') await apply(configDir, judged.proposal.changes)
      const { portal } = await findAddresses(settings)
      context.output.result(json, answerOf(judged, outcome), () =>
        judged.version === undefined
          ? refusalText(judged)
          : publishedText(judged, judged.version, { outcome, settings, portal, samples }),
      )
      if (judged.version === undefined) throw new ReportedError()
    })
}

/** What a run can come to, as its text says it. */
const outcomes = {
  published: 'is published',
  unchanged: 'is unchanged: nothing was written',
  'dry-run': 'can be published',
  refused: 'cannot be published',
}

type Outcome = keyof typeof outcomes

function outcomeOf(
  { version, proposal }: Judged,
  configDir: string,
  { dryRun }: PublishOptions,
): Outcome {
  if (version === undefined) return 'refused'
  if (dryRun === true) return 'dry-run'
  return isApplied(configDir, proposal.changes) ? 'unchanged' : 'published'
}

/** What `--json` prints. */
interface Answer {
  readonly outcome: Outcome
  readonly api: string | null
  readonly version: string | null
  readonly prefix: string | null
  readonly operations: number | null
  readonly refused: readonly Refusal[]
  readonly warnings: Judged['warnings']
  readonly leftOut: readonly string[]
  readonly twins: readonly string[]
  /** The text of an overlay. */
  readonly mend: string | null
}

/** The answer about a document that could not be read. */
function unread(place: string, message: string): Answer {
  return {
    outcome: 'refused',
    api: null,
    version: null,
    prefix: null,
    operations: null,
    refused: [{ reason: 'unreadable', place, line: 1, message }],
    warnings: [],
    leftOut: [],
    twins: [],
    mend: null,
  }
}

function answerOf(judged: Judged, outcome: Outcome): Answer {
  const { proposal, version, refused, warnings, leftOut, twins, mend } = judged
  return {
    outcome,
    api: proposal.api,
    version: proposal.version,
    prefix: version?.prefix ?? null,
    operations: version?.operations.length ?? null,
    refused,
    warnings,
    leftOut,
    twins,
    mend: mend ?? null,
  }
}

const operationsShown = 12

interface PublishedTextOptions {
  readonly outcome: Outcome
  readonly settings: Settings
  readonly portal: string | undefined
  /** What a start has served without the folder `config`; undefined: it has the folder. */
  readonly samples: string | undefined
}

function publishedText(
  { proposal, warnings, leftOut, twins }: Judged,
  published: ApiVersion,
  { outcome, settings, portal, samples }: PublishedTextOptions,
): string {
  const { api, version, cutVersion, plan, mends } = proposal
  const { prefix, operations } = published
  const shown = operations.slice(0, operationsShown).map(({ method, path }) => `${method} ${path}`)
  const rest = operations.length - shown.length
  const facts: readonly (readonly [string, readonly string[]])[] = [
    [
      'Version',
      cutVersion === undefined
        ? []
        : [
            `${version}, because versions are numbers with dots: info.version is ${cutVersion}; --version chooses another`,
          ],
    ],
    [
      'Prefix',
      [
        mends?.prefix === undefined
          ? prefix || '/'
          : `${prefix}, because another version has operations under the document's own`,
      ],
    ],
    ['Backend', [backendOf(settings, published)]],
    ['Plan', [planText(plan)]],
    [
      'Operations',
      operations.length === 0
        ? ['none: the document has no path with a method that the gateway serves']
        : [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])],
    ],
    ['Left out', leftOut],
    ['Note', twins],
    ['Samples', samples === undefined || outcome === 'dry-run' ? [] : withoutSamples(samples)],
    [
      'Warnings',
      warnings.length === 0
        ? ['none']
        : warnings.map(
            ({ kind, count, place, line, message }) =>
              `${count} ${kind}, ${count === 1 ? '' : 'first '}in ${place}:${line}: ${message}`,
          ),
    ],
  ]
  const lines = facts.flatMap(([name, values]) =>
    values.map((value, at) => `  ${(at === 0 ? name : '').padEnd(11)} ${printable(value)}`),
  )
  const choice = plan.name === 'default' ? '' : ` --plan ${plan.name}`
  const program = commandName()
  const next =
    outcome === 'dry-run'
      ? ['Nothing was written (--dry-run).']
      : [
          'Next, in this folder:',
          samples === undefined
            ? `  ${`${program} start`.padEnd(29)} # or, if it runs: ${program} reload --wait`
            : `  ${`${program} start`.padEnd(29)} # if it runs, stop it first: it serves the samples`,
          `  ${program} onboard --email you@example.com --application Shop --api ${api}@${version}${choice}   # creates a key`,
          ...(portal === undefined
            ? []
            : [`  ${portal.padEnd(29)} # the portal, where developers get keys`]),
          ...(warnings.length === 0
            ? []
            : [`  ${`${program} check --strict`.padEnd(29)} # lists the warnings`]),
        ]
  return [`${api}@${version} ${outcomes[outcome]}.`, '', ...lines, '', ...next].join('\n')
}

function withoutSamples(samples: string): readonly string[] {
  return [
    'Tollgate now serves the folder config, and no longer its samples. To keep them, copy',
    'them and publish again, because the copy replaces plans/default.yaml:',
    `cp -r "${relative('.', samples)}/." config`,
  ]
}

function planText({ name, added, isNew }: Proposal['plan']): string {
  if (isNew === true) return `${name}, a new plan: ${newPlanLimit}`
  return added === undefined ? name : `${name}, now also offers ${added}`
}

function refusalText({ proposal, refused, isBlockedByOthers, twins, mend }: Judged): string {
  const { api, version } = proposal
  const lines = refused.map(({ reason, place, line, message }) =>
    printable(place === '' ? message : `${place}:${line} ${reason}: ${message}`),
  )
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`
  const these = lines.length === 1 ? 'this problem' : 'these problems'
  const advice = isBlockedByOthers
    ? ` Fix ${these} in the configuration first. Your document has no errors.`
    : ''
  const mended =
    mend === undefined
      ? []
      : ['', 'This overlay fixes the document; --mend saves it:', '', mend.trimEnd()]
  return [
    ...lines,
    `${count}: ${api}@${version} ${outcomes.refused}.${advice} Nothing was written.`,
    ...twins.map((twin) => `Note: ${twin}`),
    ...mended,
  ].join('\n')
}
