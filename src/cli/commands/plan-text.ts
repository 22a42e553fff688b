import type { CatalogueChange } from '../../catalogue/catalogue-change.ts'
import type { InForce } from '../in-force.ts'
import { drawTable, printable } from '../output.ts'
import type { AffectedApplication } from '../plan/affected.ts'
import type { AssessedPlan, WouldHaveRefused } from '../plan/assess-plan.ts'
import type { OverNow } from '../plan/over-now.ts'

/** Names shown in a cell; the rest are counted. */
const namesShown = 3
/** Rows shown of a table; `--json` prints all. */
const rowsShown = 20

/** The JSON of `--json`: every application of every change. */
export function planAsJson(plan: AssessedPlan, { source, publishedAt }: InForce): object {
  return {
    inForce: { source, publishedAt },
    isBreaking: plan.isBreaking,
    changes: plan.changes.map(({ change, isBreaking, applications }) => ({
      ...change,
      isBreaking,
      applications,
    })),
    overNow: plan.overNow instanceof Error ? null : plan.overNow,
    last30Days: plan.last30Days,
  }
}

/** Draws the changes, and below them the applications that they would affect. */
export function planText(plan: AssessedPlan): string {
  const { changes, overNow, last30Days } = plan
  if (changes.length === 0) return 'No change affects calls.'
  return [
    drawTable(changes, {
      Change: ({ change }) => changeLabels[change.kind],
      What: ({ change }) => subjectOf(change),
      From: ({ change }) => change.from ?? null,
      To: ({ change }) => change.to ?? null,
      Breaking: ({ isBreaking }) => (isBreaking ? 'yes' : 'no'),
      Applications: ({ applications }) => namesOf(applications),
    }),
    ...(overNow instanceof Error || overNow.length === 0 ? [] : [drawOverNow(overNow)]),
    ...(last30Days.length === 0 ? [] : [drawRefused(last30Days)]),
    verdict(plan),
  ].join('\n\n')
}

/** `Budget app, Shop and 4 more`. */
export function namesOf(applications: readonly AffectedApplication[]): string {
  if (applications.length === 0) return 'none'
  const shown = applications.slice(0, namesShown).map(({ name }) => printable(name))
  const more = applications.length - shown.length
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`
}

/** The label of each kind of change. */
export const changeLabels: Readonly<Record<CatalogueChange['kind'], string>> = {
  'version.added': 'version added',
  'version.removed': 'version removed',
  'version.deprecated': 'deprecation changed',
  'version.sunset': 'sunset changed',
  'version.successor': 'successor changed',
  'version.retired': 'retirement changed',
  'version.prefix': 'prefix changed',
  'version.backend': 'backend changed',
  'version.forwardHeaders': 'forwarded headers changed',
  'operation.added': 'operation added',
  'operation.removed': 'operation removed',
  'operation.changed': 'operation changed',
  'plan.added': 'plan added',
  'plan.removed': 'plan removed',
  'plan.mode': 'mode changed',
  'plan.onStoreOutage': 'outage policy changed',
  'plan.rehearsal': 'rehearsal changed',
  'offer.added': 'version added to plan',
  'offer.removed': 'version removed from plan',
  'limit.added': 'limit added',
  'limit.removed': 'limit removed',
  'limit.calls': 'calls changed',
  'limit.window': 'window changed',
  'limit.scope': 'scope changed',
  'limit.advertise': 'advertising changed',
}

/** What a change affects: `listAccounts, xs2a@1.7.0` or `limit default, plan default`. */
export function subjectOf({ api, version, operation, plan, limit }: CatalogueChange): string {
  return [
    ...(operation === undefined ? [] : [operation]),
    ...(api === undefined ? [] : [`${api}@${version ?? ''}`]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
  ].join(', ')
}

function drawOverNow(over: readonly OverNow[]): string {
  const table = drawTable(over.slice(0, rowsShown), {
    Application: ({ application }) => application.name,
    What: ({ api, version, operation }) => counted(api, version, operation),
    Limit: 'limit',
    Used: 'used',
    'New limit': 'calls',
    Resets: 'resetsAt',
  })
  return ['Over a new limit now:', table, ...moreRows(over)].join('\n')
}

function drawRefused(refused: readonly WouldHaveRefused[]): string {
  const table = drawTable(refused.slice(0, rowsShown), {
    Application: ({ application }) => application.name,
    What: ({ api, version, operation }) => counted(api, version, operation),
    Limit: 'limit',
    'New limit': 'calls',
    Refused: ({ refused, isLeast }) => (isLeast ? `at least ${refused}` : refused),
    Windows: 'windows',
    Last: 'last',
  })
  const head = 'Calls of the last 30 days that a new limit would have refused:'
  return [head, table, ...moreRows(refused)].join('\n')
}

function counted(api: string, version: string, operation: string | null): string {
  return `${operation ?? 'all operations'}, ${api}@${version}`
}

function moreRows(rows: readonly unknown[]): readonly string[] {
  const more = rows.length - rowsShown
  return more <= 0 ? [] : [`${more} more rows are not shown; --json shows them.`]
}

function verdict({ changes, isBreaking }: AssessedPlan): string {
  if (!isBreaking) return 'No change is breaking.'
  const breaking = changes.filter((change) => change.isBreaking)
  const affected = new Set(breaking.flatMap((change) => change.applications.map(({ id }) => id)))
  const times = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
  return `${times(breaking.length, 'change')} can break ${times(affected.size, 'application')}.`
}
