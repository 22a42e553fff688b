import Table from 'cli-table3'
import type { Command } from 'commander'
import type { Brand } from '../../catalogue/brand/brand.ts'
import { callCount } from '../../catalogue/call-count.ts'
import type { Catalogue, Limit } from '../../catalogue/catalogue.ts'
import {
  CatalogueError,
  type CatalogueProblem,
  renderCatalogueProblem,
} from '../../catalogue/catalogue-error.ts'
import { configurationTraps } from '../../catalogue/configuration-traps.ts'
import { shownWindow } from '../../catalogue/window-length.ts'
import { SettingsError } from '../../platform/settings/settings-reader.ts'
import { windowText } from '../../portal/api/schemas/window-text.ts'
import { type GuideGap, guideGaps } from '../../portal/guides/guide-gaps.ts'
import { ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

export function registerCheck(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate check', 'CONFIG_DIR=proposed tollgate check --json'])
    .description(
      'Validate the API documents and plans in CONFIG_DIR, with every schema and every example. Exit code 1 lists every problem: file, line, rule and an example, or the setting. Warnings name what is valid but probably unintended: a limit below GATEWAY_PROCESSES, a successor that ends itself, versions that name each other as successor, a sunset that has passed, a retirement without a sunset, a limit that never decides, equal titles, texts that the translation of an API lacks, and what the guides of the portal show but a document lacks. If the documents and plans are valid, checks that every API of BACKEND_URLS exists.',
    )
    .option(
      '--strict',
      'treat all warnings about API documents as problems; also require that schemas are exact: known formats and keywords, and responses whose objects are closed and list their required properties',
    )
    .option('--json', 'print {"ok","versions","plans","warnings"} or {"ok","problems"}')
    .action(async ({ json, strict: isStrict = false }: CheckOptions) => {
      const { output } = context
      const { checkBackends } = await import('../../compose/check-backends.ts')
      const { inspectCatalogue } = await import('../../catalogue/inspect-catalogue.ts')
      try {
        const { catalogue, warnings: doubts } = await inspectCatalogue(
          context.settings().configDir,
          { isStrict },
        )
        checkBackends(context.settings(), catalogue)
        const nowMs = context.now()
        const { gatewayProcesses } = context.settings()
        const warnings = [
          ...byKind(doubts),
          ...configurationTraps({ catalogue, gatewayProcesses, nowMs }).map(
            (trap) => `Warning: ${trap}`,
          ),
          ...guideGaps(catalogue, nowMs).map(warningText),
        ]
        const summary = { ...summaryOf(catalogue), warnings }
        output.result(json, summary, () =>
          [
            ...warnings,
            textOf(catalogue),
            ...brandLines(catalogue.brand),
            `The configuration is valid.${doubts.length === 0 ? '' : strictHint}`,
          ].join('\n'),
        )
      } catch (error) {
        const found = foundProblems(error)
        if (found === undefined) throw error
        const { problems, lines } = found
        output.result(json, { ok: false, problems }, () => problemText(lines))
        throw new ReportedError()
      }
    })
}

interface CheckOptions extends JsonOption {
  readonly strict?: boolean
}

const strictHint =
  ' tollgate check --strict lists all warnings, and also checks that schemas are exact.'

/** One line for each kind of warning of a file, with its first place. */
function byKind(doubts: readonly CatalogueProblem[]): string[] {
  const kinds = Map.groupBy(doubts, ({ file, rule }) => `${file} ${rule}`)
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { file, line, rule, message } = first
    const more = others.length === 0 ? '' : ` And ${others.length} more.`
    return `Warning: ${file}:${line} ${rule}: ${message}.${more}`
  })
}

function summaryOf(catalogue: Catalogue) {
  return {
    ok: true,
    versions: [...catalogue.versions.values()].map(
      ({ api, version, lifecycle, operations, plans }) => ({
        api,
        version,
        operations: operations.length,
        lifecycle,
        plans,
      }),
    ),
    plans: [...catalogue.plans.values()].map(({ rehearsal, ...plan }) => ({
      ...shownPlan(plan),
      ...(rehearsal && { rehearsal: shownPlan(rehearsal) }),
    })),
  }
}

function shownPlan<Shown extends { readonly limits: readonly Limit[] }>(plan: Shown) {
  const limits = plan.limits.map(({ windowLength, ...limit }) => ({
    ...limit,
    ...shownWindow(windowLength),
  }))
  return { ...plan, limits }
}

function textOf(catalogue: Catalogue): string {
  const versions = new Table({
    head: ['API', 'Version', 'Operations', 'Lifecycle', 'Plans'],
    style: { head: [], border: [] },
  })
  for (const { api, version, operations, lifecycle, plans } of catalogue.versions.values()) {
    const stages = Object.entries(lifecycle).map(([stage, value]) => `${stage} ${value}`)
    versions.push([
      api,
      version,
      operations.length,
      stages.join('\n') || 'active',
      plans.join('\n'),
    ])
  }
  const plans = new Table({
    head: ['Plan', 'Title', 'Limits', 'Mode', 'Without counters'],
    style: { head: [], border: [] },
  })
  for (const plan of catalogue.plans.values()) {
    const { name, title, limits, mode, onStoreOutage, rehearsal } = plan
    plans.push([name, title, limits.map(limitText).join('\n'), mode, onStoreOutage])
    if (rehearsal === undefined) continue
    const texts = rehearsal.limits.map(limitText).join('\n')
    const beside = `rehearse, beside ${name}`
    plans.push([rehearsal.name, rehearsal.title, texts, beside, rehearsal.onStoreOutage])
  }
  return `${versions.toString()}\n${plans.toString()}`
}

/** A line that names what brand.yaml sets, or none. */
function brandLines({ name, logo, icon, accent, terms, ...links }: Brand): readonly string[] {
  const linked = Object.entries(links).flatMap(([link, to]) => (to === undefined ? [] : [link]))
  const parts = [
    ...(name === undefined ? [] : [...new Set(Object.values(name))]),
    ...(accent === undefined ? [] : [`accent ${accent.light} (dark: ${accent.dark})`]),
    ...(logo === undefined ? [] : ['logo']),
    ...(icon === undefined ? [] : ['icon']),
    ...(terms === undefined ? [] : [`terms of version ${terms.version}`]),
    ...linked,
  ]
  return parts.length === 0 ? [] : [`Brand: ${parts.join(', ')}.`]
}

function warningText({ guide, version, operationId, lacks }: GuideGap): string {
  return lacks === 'operation'
    ? `Warning: ${version} has no operation ${operationId}, so the portal does not show the guide ${guide}.`
    : `Warning: ${version} has no sample of ${operationId} (x-sample-flows), so the guide ${guide} shows none.`
}

function limitText({ name, calls, windowLength, scope, isAdvertised }: Limit): string {
  const subject = scope === 'operation' ? 'each operation' : 'the version'
  const window = windowText(shownWindow(windowLength))
  return `${name}: ${callCount(calls)} to ${subject} per ${window}${isAdvertised ? '' : ', not advertised'}`
}

interface FoundProblems {
  /** For `--json`. A problem of a setting has no file. */
  readonly problems: readonly (CatalogueProblem | Pick<CatalogueProblem, 'message'>)[]
  readonly lines: readonly string[]
}

/** The problems that an error lists; undefined when it is another error. */
function foundProblems(error: unknown): FoundProblems | undefined {
  if (error instanceof CatalogueError) {
    const { problems } = error
    return { problems, lines: problems.map(renderCatalogueProblem) }
  }
  if (!(error instanceof SettingsError)) return undefined
  return { problems: error.problems.map((message) => ({ message })), lines: error.problems }
}

function problemText(lines: readonly string[]): string {
  const count = lines.length === 1 ? '1 problem' : `${lines.length} problems`
  return `${lines.join('\n')}\n${count} in the configuration.`
}
