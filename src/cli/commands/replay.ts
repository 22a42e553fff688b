import type { ApiVersion, Catalogue, Operation } from '../../catalogue/catalogue.ts'
import {
  type ReplayApplicationOptions,
  replayApplication,
} from '../../portal/replay/replay-application.ts'
import type { Replay, ReplayedOperation } from '../../portal/replay/replay-calls.ts'
import type { Stores } from '../../portal/stores/stores.ts'
import { findApplication } from '../find.ts'
import { drawTable, printable } from '../output.ts'

/** The replay of one application, by its name. */
export interface NamedReplay {
  readonly application: { readonly id: string; readonly name: string }
  readonly replay: Replay
}

export interface ReplayApplicationsOptions {
  readonly stores: Stores
  readonly catalogue: Catalogue
  readonly from: ApiVersion
  readonly to: ApiVersion
  /** Name or id of an application; undefined: all that are subscribed to `from`. */
  readonly only: string | undefined
  readonly nowMs: number
}

/** Replays the recorded calls of one application or of all subscribed ones. @throws as {@link findApplication} */
export async function replayApplications(
  options: ReplayApplicationsOptions,
): Promise<readonly NamedReplay[]> {
  const { stores, from, to, only } = options
  const applications =
    only === undefined
      ? await stores.subscriptions.applicationsOf(from.api, from.version)
      : [await findApplication(stores, only)]
  const replays: NamedReplay[] = []
  for (const { id, name } of applications) {
    const active = await stores.subscriptions.list({ applicationId: id })
    const planOf = (wanted: ApiVersion) =>
      active.find(({ api, version }) => api === wanted.api && version === wanted.version)?.plan
    const plan = planOf(to) ?? planOf(from) ?? to.plans[0] ?? ''
    const replayed: ReplayApplicationOptions = { ...options, applicationId: id, plan }
    replays.push({ application: { id, name }, replay: await replayApplication(replayed) })
  }
  return replays
}

/** As `--json` prints it. */
export function replayAsJson({ application, replay }: NamedReplay): object {
  return {
    application,
    ...replay,
    operations: replay.operations.map(({ operation, instead, ...counts }) => ({
      operation: operation.id,
      ...counts,
      instead: (instead?.operations ?? []).map(({ id }) => id),
      note: instead?.note ?? null,
    })),
  }
}

/** Draws the predicted result of each application's calls. */
export function describeReplays(replays: readonly NamedReplay[]): string {
  if (replays.length === 0) return 'No application is subscribed to the old version.'
  return replays.map(describe).join('\n\n')
}

function describe({ application, replay }: NamedReplay): string {
  const { calls, allowed, missing, refused, unknown, leftOut, operations } = replay
  const head = `Recorded calls of ${printable(application.name)} (${application.id}): ${calls}`
  if (calls + unknown + leftOut === 0) return `${head}, so nothing is predicted.`
  const summary = [
    `${allowed} work`,
    ...(missing > 0 ? [`${missing} are not in the new version`] : []),
    ...(refused > missing ? [`${refused - missing} are refused for other reasons`] : []),
    ...(unknown > 0 ? [`${unknown} more matched no operation and are not predicted`] : []),
    ...(leftOut > 0 ? [`${leftOut} more ended for a passing reason and are not predicted`] : []),
  ]
  return [`${head}. Predicted: ${summary.join(', ')}.`, table(operations)].join('\n')
}

function table(operations: readonly ReplayedOperation[]): string {
  return drawTable(operations, {
    Operation: ({ operation }) => operation.id,
    Calls: 'calls',
    Work: 'allowed',
    Refused: ({ refusals }) =>
      refusals.map(({ calls, status, code }) => `${calls} ${status} ${code}`).join(', '),
    Instead: ({ instead }) => (instead?.operations ?? []).map(nameOf).join(', '),
  })
}

function nameOf({ method, template }: Operation): string {
  return `${method} ${template}`
}
