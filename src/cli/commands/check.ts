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
import { windowText } from '../../portal/api/schemas/window-text.ts'
import { type GuideGap, guideGaps } from '../../portal/guides/guide-gaps.ts'
import { ReportedError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'

export function registerCheck(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate check', 'CONFIG_DIR=proposed tollgate check --json'])
    .description(
      'Validate the API documents and plans in CONFIG_DIR, with every schema and every example. Exit code 1 lists every problem: file, line, rule and an example. Warnings name what is valid but probably unintended: a limit below GATEWAY_PROCESSES, a successor that ends itself, a sunset that has passed, a limit that never decides, equal titles, and what the guides of the portal show but a document lacks. Every API of BACKEND_URLS must exist.',
    )
    .option('--json', 'print {"ok","versions","plans","warnings"} or {"ok","problems"}')
    .action(async ({ json }: JsonOption) => {
      const { output } = context
      const { checkBackends } = await import('../../compose/check-backends.ts')
      const { inspectCatalogue } = await import('../../catalogue/inspect-catalogue.ts')
      try {
        const catalogue = await inspectCatalogue(context.settings().configDir)
        checkBackends(context.settings(), catalogue)
        const nowMs = context.now()
        const { gatewayProcesses } = context.settings()
        const warnings = [
          ...configurationTraps({ catalogue, gatewayProcesses, nowMs }).map(
            (trap) => `Warning: ${trap}`,
          ),
          ...guideGaps(catalogue, nowMs).map(warningText),
        ]
        const summary = { ...summaryOf(catalogue), warnings }
        output.result(json, summary, () =>
          [...warnings, textOf(catalogue), brandText(catalogue.brand)].join('\n'),
        )
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error
        const { problems } = error
        output.result(json, { ok: false, problems }, () => problemText(problems))
        throw new ReportedError()
      }
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

/** Names what brand.yaml sets; contrasts are too low in no valid brand. */
function brandText({ name, logo, icon, accent, terms, ...links }: Brand): string {
  const linked = Object.entries(links).flatMap(([link, to]) => (to === undefined ? [] : [link]))
  const parts = [
    ...(name === undefined ? [] : [...new Set(Object.values(name))]),
    ...(accent === undefined ? [] : [`accent ${accent.light} (dark: ${accent.dark})`]),
    ...(logo === undefined ? [] : ['logo']),
    ...(icon === undefined ? [] : ['icon']),
    ...(terms === undefined ? [] : [`terms of version ${terms.version}`]),
    ...linked,
  ]
  const brand = parts.length === 0 ? [] : [`Brand: ${parts.join(', ')}.`]
  return [...brand, 'The configuration is valid.'].join('\n')
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

function problemText(problems: readonly CatalogueProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return `${problems.map(renderCatalogueProblem).join('\n')}\n${count} in the configuration.`
}
