import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ApiVersion } from '../../catalogue/catalogue.ts'
import { backendPathOf, backendUrlOf } from '../../platform/settings/sandbox.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { CommandError, ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { printable } from '../output.ts'
import { type Judged, judge } from '../publication/judge.ts'
import type { ProposalOptions } from '../publication/propose.ts'
import { readSource } from '../publication/read-source.ts'
import { apply } from '../publication/staging.ts'
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
    .option('--json', 'print {"api","version","prefix","operations","refused","warnings"}')
    .action(async (place: string, options: PublishOptions) => {
      const settings = context.settings()
      // The samples of a release are replaced by the next one, so nothing is written there.
      const configDir =
        (context.env['CONFIG_DIR'] ?? '') === '' ? resolve('config') : settings.configDir
      const { json } = options
      const source = await readSource(place).catch((error: unknown) => {
        if (json !== true || !(error instanceof CommandError)) throw error
        const { message } = error
        context.output.result(json, unread(place, message), () => message)
        throw new ReportedError()
      })
      const judged = await judge({ source, options, settings, configDir })
      const isWritten = judged.version !== undefined && options.dryRun !== true
      if (isWritten) await apply(configDir, judged.proposal.changes)
      context.output.result(json, answerOf(judged), () =>
        judged.version === undefined
          ? refusalText(judged)
          : publishedText(judged, judged.version, { isWritten, settings }),
      )
      if (judged.version === undefined) throw new ReportedError()
    })
}

/** The answer about a document that could not be read. */
function unread(place: string, message: string) {
  const refused = [{ reason: 'unreadable', place, line: 1, message }]
  return { api: null, version: null, prefix: null, operations: null, refused, warnings: [] }
}

function answerOf({ proposal, version, refused, warnings }: Judged) {
  return {
    api: proposal.api,
    version: proposal.version,
    prefix: version?.prefix ?? null,
    operations: version?.operations.length ?? null,
    refused,
    warnings: [...warnings].map(([kind, count]) => ({ kind, count })),
  }
}

const operationsShown = 12

interface PublishedTextOptions {
  readonly isWritten: boolean
  readonly settings: Settings
}

function publishedText(
  { proposal, warnings }: Judged,
  published: ApiVersion,
  { isWritten, settings }: PublishedTextOptions,
): string {
  const { api, version, plan } = proposal
  const { prefix, operations } = published
  const shown = operations.slice(0, operationsShown).map(({ method, path }) => `${method} ${path}`)
  const rest = operations.length - shown.length
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['Prefix', [prefix === '' ? '/' : prefix]],
    ['Backend', [backendOf(settings, published)]],
    [
      'Plan',
      [plan.added === undefined ? plan.name : `${plan.name}, now also offers ${plan.added}`],
    ],
    [
      'Operations',
      operations.length === 0
        ? ['none: the document has no path with a method that the gateway serves']
        : [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])],
    ],
    [
      'Warnings',
      warnings.size === 0 ? ['none'] : [...warnings].map(([kind, count]) => `${count} ${kind}`),
    ],
  ]
  const lines = facts.flatMap(([name, values]) =>
    values.map((value, at) => `  ${(at === 0 ? name : '').padEnd(11)} ${printable(value)}`),
  )
  const next = isWritten
    ? [
        'Next:',
        '  npx tollgate start            if Tollgate does not run yet',
        '  npx tollgate reload --wait    if it runs',
        ...(warnings.size === 0 ? [] : ['  npx tollgate check --strict   lists the warnings']),
      ]
    : ['Nothing was written (--dry-run).']
  const what = isWritten ? 'is published' : 'can be published'
  return [`${api}@${version} ${what}.`, '', ...lines, '', ...next].join('\n')
}

/** Where the backend gets the calls: the URL, with the path below which it gets those of the version. */
function backendOf(settings: Settings, version: ApiVersion): string {
  const url = backendUrlOf(settings, version)
  if (url === undefined) return ''
  return new URL(url).origin + (backendPathOf(url) ?? version.basePath)
}

function refusalText({ proposal, refused, isBlockedByOthers, mend }: Judged): string {
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
    `${count}: ${api}@${version} cannot be published.${advice} Nothing was written.`,
    ...mended,
  ].join('\n')
}
