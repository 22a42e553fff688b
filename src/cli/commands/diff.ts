import Table from 'cli-table3'
import type { Command } from 'commander'
import { type ApiVersion, versionKey } from '../../catalogue/catalogue.ts'
import { type DiffedOperation, diffVersions, type VersionDiff } from '../../catalogue/diff.ts'
import { CommandError, UsageError } from '../command-error.ts'
import type { CommandContext } from '../context.ts'
import { addExamples } from '../examples.ts'
import type { JsonOption } from './options.ts'
import { describeReplays, replayApplications, replayAsJson } from './replay.ts'

export function registerDiff(command: Command, context: CommandContext): void {
  addExamples(command, [
    'tollgate diff xs2a 1.6.0 1.7.0 --applications',
    'tollgate diff xs2a 1.6.0 1.7.0 --replay --application "Budget app"',
  ])
    .description(
      "Show the operations added, removed and changed between two versions of an API. With --applications, also the applications subscribed to a version that has a removed operation. With --replay, also what each subscribed application's recorded calls (the last 1,000 within 24 hours) would get from the new version.",
    )
    .argument('<api>', 'e.g. xs2a')
    .argument('<from>', 'e.g. 1.6.0')
    .argument('<to>', 'e.g. 1.7.0')
    .option('--applications', 'list the subscribed applications')
    .option('--replay', 'predict what recorded calls would meet')
    .option('--application <application>', 'replay the calls of this one only: its name or id')
    .option('--json', 'print the difference')
    .action(
      async (
        api: string,
        from: string,
        to: string,
        { applications, replay, application, json }: DiffOptions,
      ) => {
        if (application !== undefined && replay !== true) {
          throw new UsageError('--application needs --replay')
        }
        const catalogue = await context.catalogue()
        const { versions } = catalogue
        const old = versions.get(versionKey(api, from))
        const young = versions.get(versionKey(api, to))
        if (old === undefined || young === undefined) {
          throw unknownVersion([...versions.values()], api, old === undefined ? from : to)
        }
        const difference = diffVersions(old, young)
        const subscribers =
          applications === true && difference.removed.length > 0
            ? await context.registry(async ({ subscriptions }) =>
                (await subscriptions.applicationsOf(api, from)).map(
                  ({ id, name }) => `${name} (${id})`,
                ),
              )
            : undefined
        const replays =
          replay === true
            ? await context.registry((stores) =>
                replayApplications({
                  stores,
                  catalogue,
                  from: old,
                  to: young,
                  nowMs: context.now(),
                  only: application,
                }),
              )
            : undefined
        const prefix = { from: old.prefix || '/', to: young.prefix || '/' }
        const result = {
          ...difference,
          prefix,
          ...(subscribers && { subscribers }),
          ...(replays && { replays: replays.map(replayAsJson) }),
        }
        context.output.result(json, result, () =>
          [
            textOf({ ...difference, prefix }, subscribers),
            ...(replays === undefined ? [] : [describeReplays(replays)]),
          ].join('\n\n'),
        )
      },
    )
}

interface DiffOptions extends JsonOption {
  readonly applications?: boolean
  readonly replay?: boolean
  readonly application?: string
}

function unknownVersion(all: readonly ApiVersion[], api: string, version: string): CommandError {
  const ofApi = all.filter((published) => published.api === api)
  const known = (ofApi.length > 0 ? ofApi : all).map(nameOf).join(', ')
  const what = ofApi.length > 0 ? `${api} has no version ${version}` : `there is no API ${api}`
  return new CommandError(`${what}; there are: ${known}`)
}

function nameOf({ api, version }: ApiVersion): string {
  return versionKey(api, version)
}

interface Difference extends VersionDiff {
  readonly prefix: { readonly from: string; readonly to: string }
}

function textOf(difference: Difference, callers: readonly string[] | undefined): string {
  const { api, from, to, prefix, added, removed, changed } = difference
  const lines = [`${api} ${from} -> ${to}`]
  if (prefix.from !== prefix.to) {
    lines.push(`Prefix: ${prefix.from} -> ${prefix.to} (every path begins with it)`)
  }
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
  return lines.join('\n')
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
