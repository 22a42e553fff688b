import Table from 'cli-table3'
import type { Command } from 'commander'
import { type ApiVersion, type Catalogue, versionKey } from '../../catalogue/catalogue.ts'
import { CatalogueError } from '../../catalogue/catalogue-error.ts'
import { type DiffedOperation, diffVersions, type VersionDiff } from '../../catalogue/diff.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import { type CommandResult, conclude } from './command-result.ts'
import type { JsonOption } from './options.ts'

export function registerDiff(command: Command, context: CommandContext): void {
  addExamples(command, ['tollgate diff xs2a 1.6.0 1.7.0 --applications'])
    .description(
      'Show the operations added, removed and changed between two versions of an API. With --applications, also the applications subscribed to a version that has a removed operation.',
    )
    .argument('<api>', 'e.g. xs2a')
    .argument('<from>', 'e.g. 1.6.0')
    .argument('<to>', 'e.g. 1.7.0')
    .option('--applications', 'list the subscribed applications')
    .option('--json', 'print the difference')
    .action(
      async (
        api: string,
        from: string,
        to: string,
        { applications, json }: JsonOption & { applications?: boolean },
      ) => {
        const settings = context.settings()
        const subscribers = (ofApi: string, version: string): Promise<readonly string[]> =>
          context.registry(async (stores) =>
            (await stores.subscriptions.applicationsOf(ofApi, version)).map(
              ({ id, name }) => `${name} (${id})`,
            ),
          )
        conclude(
          context.output,
          await diff({
            configDir: settings.configDir,
            api,
            from,
            to,
            json: json === true,
            ...(applications === true ? { subscribers } : {}),
          }),
        )
      },
    )
}

export interface DiffOptions {
  readonly configDir: string
  readonly api: string
  readonly from: string
  readonly to: string
  readonly json: boolean
  /** Applications subscribed to a version, as they should be printed. */
  readonly subscribers?: (
    api: string,
    version: string,
    operationIds: readonly string[],
  ) => Promise<readonly string[]>
}

/**
 * Says what moving from one version of an API to another means: operations
 * added, removed and changed, and who is subscribed to the old version. As JSON the
 * difference with `subscribers` beside it, absent without `--applications`.
 * Exit code 1 for a version that does not exist or a configuration that
 * is not valid.
 */
export async function diff(options: DiffOptions): Promise<CommandResult> {
  const { configDir, api, from, to, json, subscribers } = options
  let catalogue: Catalogue
  try {
    const { loadCatalogue } = await import('../../catalogue/load-catalogue.ts')
    catalogue = await loadCatalogue(configDir)
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error
    return { output: '', error: `${error.message}\n`, exitCode: 1 }
  }
  const old = catalogue.versions.get(versionKey(api, from))
  const young = catalogue.versions.get(versionKey(api, to))
  if (old === undefined || young === undefined) {
    const missing = old === undefined ? from : to
    return { output: '', error: unknownVersion(catalogue, api, missing), exitCode: 1 }
  }
  const difference = diffVersions(old, young)
  const removed = difference.removed.map(({ id }) => id)
  const callers =
    subscribers === undefined || removed.length === 0
      ? undefined
      : await subscribers(api, from, removed)
  const output = json
    ? `${JSON.stringify({ ...difference, ...(callers && { subscribers: callers }) }, null, 2)}\n`
    : textOf(difference, callers)
  return { output, exitCode: 0 }
}

function unknownVersion(catalogue: Catalogue, api: string, version: string): string {
  const all = [...catalogue.versions.values()]
  const ofApi = all.filter((published) => published.api === api)
  const known = (ofApi.length > 0 ? ofApi : all).map(nameOf).join(', ')
  const what = ofApi.length > 0 ? `${api} has no version ${version}` : `there is no API ${api}`
  return `tollgate: ${what}; there are: ${known}\n`
}

function nameOf({ api, version }: ApiVersion): string {
  return versionKey(api, version)
}

function textOf(difference: VersionDiff, callers: readonly string[] | undefined): string {
  const { api, from, to, added, removed, changed } = difference
  const lines = [`${api} ${from} -> ${to}`]
  if (added.length + removed.length + changed.length === 0) {
    lines.push('No operation was added, removed or changed.')
  }
  lines.push(...section('Added', added), ...section('Removed', removed))
  if (changed.length > 0) {
    const table = new Table({
      head: ['Changed', 'Where', 'What', 'Breaking'],
      style: { head: [], border: [] },
      colWidths: [null, null, 60, null],
      wordWrap: true,
    })
    for (const operation of changed) {
      for (const [index, { where, message, isBreaking }] of operation.changes.entries()) {
        table.push([index === 0 ? operation.id : '', where, message, isBreaking ? 'yes' : 'no'])
      }
    }
    lines.push('', table.toString())
  }
  if (callers !== undefined) {
    lines.push('', 'Applications subscribed to the old version:')
    lines.push(...(callers.length === 0 ? ['  none'] : callers.map((name) => `  ${name}`)))
  }
  return `${lines.join('\n')}\n`
}

function section(title: string, operations: readonly DiffedOperation[]): readonly string[] {
  if (operations.length === 0) return []
  const table = new Table({
    head: [title, 'Method', 'Path', 'What it does'],
    style: { head: [], border: [] },
  })
  for (const { id, method, template, summary } of operations) {
    table.push([id, method, template, summary])
  }
  return ['', table.toString()]
}
