import type { Catalogue, Limit, Plan } from './catalogue.ts'
import { sha256 } from './sha256.ts'

/** What is kept of a configuration, to show what the next one changes. */
export interface ConfigurationSummary {
  /** By `<api>@<version>`. */
  readonly versions: Readonly<Record<string, SummaryOfVersion>>
  readonly plans: Readonly<Record<string, SummaryOfPlan>>
  /** Hash of how the bank presents itself. */
  readonly brand: string
}

interface SummaryOfVersion {
  /** Hash of the document. */
  readonly document: string
  readonly lifecycle: Readonly<Record<string, string>>
}

/** Facts and limits as a person reads them. */
interface SummaryOfPlan {
  readonly facts: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
}

export function summaryOf(catalogue: Catalogue): ConfigurationSummary {
  const { versions, plans, brand } = catalogue
  return {
    versions: Object.fromEntries(
      [...versions].map(([key, { document, lifecycle }]) => [
        key,
        { document: sha256(document.json()), lifecycle: { ...lifecycle } },
      ]),
    ),
    plans: Object.fromEntries([...plans].map(([name, plan]) => [name, summaryOfPlan(plan)])),
    brand: hashOf(brand),
  }
}

/**
 * Says what a configuration changes, by subject: `versionsAdded`,
 * `versionsRemoved`, `plansAdded`, `plansRemoved` list names; `plan default`
 * and `version xs2a@1.7.0` say what was and what is now; `brand` and `texts`
 * say only that something changed.
 */
export function differenceOf(
  before: ConfigurationSummary,
  after: ConfigurationSummary,
): Record<string, string> {
  const versions = membersOf(before.versions, after.versions)
  const plans = membersOf(before.plans, after.plans)
  const difference = withoutEmpty({
    versionsAdded: versions.added.join(', '),
    versionsRemoved: versions.removed.join(', '),
    plansAdded: plans.added.join(', '),
    plansRemoved: plans.removed.join(', '),
    ...byName('version', versions.kept, (name) =>
      changesOfVersion(before.versions[name], after.versions[name]),
    ),
    ...byName('plan', plans.kept, (name) => changesOfPlan(before.plans[name], after.plans[name])),
    brand: before.brand === after.brand ? '' : 'changed',
  })
  return Object.keys(difference).length > 0 ? difference : { texts: 'changed' }
}

function summaryOfPlan({ apis, limits, mode, onStoreOutage, rehearsal }: Plan): SummaryOfPlan {
  const rehearsed = rehearsal?.limits.map((limit) => `${limit.name}: ${limitText(limit)}`)
  return {
    facts: {
      apis: apis.join(', '),
      mode,
      onStoreOutage,
      ...(rehearsed && { rehearsal: rehearsed.join(', ') }),
    },
    limits: Object.fromEntries(limits.map((limit) => [limit.name, limitText(limit)])),
  }
}

/** Not for people alone: it is compared with the text that an older release has stored, so one call is "1 calls". */
function limitText({ calls, windowLength, scope, isAdvertised }: Limit): string {
  const window = typeof windowLength === 'number' ? `${windowLength} s` : windowLength
  return `${calls} calls per ${window} and ${scope}${isAdvertised ? '' : ', not advertised'}`
}

function changesOfVersion(
  before: SummaryOfVersion | undefined,
  after: SummaryOfVersion | undefined,
): readonly string[] {
  if (before === undefined || after === undefined) return []
  return [
    ...(before.document === after.document ? [] : ['document changed']),
    ...changed(before.lifecycle, after.lifecycle),
  ]
}

function changesOfPlan(
  before: SummaryOfPlan | undefined,
  after: SummaryOfPlan | undefined,
): readonly string[] {
  if (before === undefined || after === undefined) return []
  return [
    ...changed(before.limits, after.limits).map((change) => `limit ${change}`),
    ...changed(before.facts, after.facts),
  ]
}

/** `calls: 100 → 50` for each member that differs. */
function changed(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name] ?? 'none'} → ${after[name] ?? 'none'}`)
}

function membersOf(before: object, after: object) {
  const names = Object.keys(before)
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: names.filter((name) => !Object.hasOwn(after, name)),
    kept: names.filter((name) => Object.hasOwn(after, name)),
  }
}

function byName(
  kind: string,
  names: readonly string[],
  changesOf: (name: string) => readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${kind} ${name}`, changesOf(name).join('; ')]))
}

function withoutEmpty(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
}

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value))
}
