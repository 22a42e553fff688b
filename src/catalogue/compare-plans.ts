import { callCount } from './call-count.ts'
import type { Limit, Plan, Rehearsal, WindowLength } from './catalogue.ts'
import type { CatalogueChange, Harm } from './catalogue-change.ts'

/** Lists what differs between a plan and its successor; undefined: it does not exist. */
export function comparePlans(
  old: Plan | undefined,
  young: Plan | undefined,
): readonly CatalogueChange[] {
  if (old === undefined) {
    return young === undefined ? [] : [{ kind: 'plan.added', plan: young.name, harm: 'none' }]
  }
  const { name: plan } = old
  if (young === undefined) return [{ kind: 'plan.removed', plan, harm: 'removes' }]
  const changes: CatalogueChange[] = []
  if (old.mode !== young.mode) {
    const harm = young.mode === 'enforce' ? 'restricts' : 'none'
    changes.push({ kind: 'plan.mode', plan, from: old.mode, to: young.mode, harm })
  }
  if (old.onStoreOutage !== young.onStoreOutage) {
    const harm = strictness.indexOf(young.onStoreOutage) > strictness.indexOf(old.onStoreOutage)
    const [from, to] = [old.onStoreOutage, young.onStoreOutage]
    changes.push({ kind: 'plan.onStoreOutage', plan, from, to, harm: harm ? 'restricts' : 'none' })
  }
  const rehearsals = [old, young].map(({ rehearsal }) => rehearsal && rehearsalWords(rehearsal))
  if (rehearsals[0] !== rehearsals[1]) {
    const [from, to] = rehearsals
    const sides = { ...(from && { from }), ...(to && { to }) }
    changes.push({ kind: 'plan.rehearsal', plan, ...sides, harm: 'none' })
  }
  // A plan that only observes refuses nothing.
  const isEnforced = young.mode === 'enforce'
  return [
    ...changes,
    ...compareLimits(old, young).map((change) =>
      isEnforced ? change : { ...change, harm: 'none' as const },
    ),
  ]
}

function rehearsalWords({ name, versions, limits, onStoreOutage }: Rehearsal): string {
  const named = limits.map((limit) => `${limit.name}: ${wordsOf(limit)}`).join('; ')
  return `${name} for ${versions.join(', ')}: ${named}; onStoreOutage ${onStoreOutage}`
}

const strictness = [
  'allow',
  'local-share',
  'deny',
] as const satisfies readonly Plan['onStoreOutage'][]

function compareLimits(old: Plan, young: Plan): readonly CatalogueChange[] {
  const { name: plan } = old
  const removed = old.limits.filter(
    ({ name }) => !young.limits.some((limit) => limit.name === name),
  )
  return [
    ...removed.map(
      (limit): CatalogueChange => ({
        kind: 'limit.removed',
        plan,
        limit: limit.name,
        from: wordsOf(limit),
        harm: 'none',
      }),
    ),
    ...young.limits.flatMap((limit) =>
      compareLimit(
        plan,
        old.limits.find(({ name }) => name === limit.name),
        limit,
      ),
    ),
  ]
}

function compareLimit(
  plan: string,
  old: Limit | undefined,
  young: Limit,
): readonly CatalogueChange[] {
  const named = { plan, limit: young.name }
  if (old === undefined) {
    return [{ kind: 'limit.added', ...named, to: wordsOf(young), harm: 'restricts' }]
  }
  const changes: CatalogueChange[] = []
  if (old.calls !== young.calls) {
    const harm: Harm = young.calls < old.calls ? 'restricts' : 'none'
    const [from, to] = [String(old.calls), String(young.calls)]
    changes.push({ kind: 'limit.calls', ...named, from, to, harm })
  }
  if (old.windowLength !== young.windowLength) {
    const isShorter = secondsAtLeast(young.windowLength) <= secondsAtLeast(old.windowLength)
    const [from, to] = [windowWord(old.windowLength), windowWord(young.windowLength)]
    const harm: Harm = isShorter ? 'none' : 'restricts'
    changes.push({ kind: 'limit.window', ...named, from, to, harm })
  }
  if (old.scope !== young.scope) {
    const harm: Harm = young.scope === 'plan' ? 'restricts' : 'none'
    changes.push({ kind: 'limit.scope', ...named, from: old.scope, to: young.scope, harm })
  }
  if (old.isAdvertised !== young.isAdvertised) {
    const [from, to] = [String(old.isAdvertised), String(young.isAdvertised)]
    changes.push({ kind: 'limit.advertise', ...named, from, to, harm: 'none' })
  }
  return changes
}

function wordsOf({ calls, windowLength, scope, isAdvertised }: Limit): string {
  const words = `${callCount(calls)} per ${windowWord(windowLength)}, scope ${scope}`
  return isAdvertised ? words : `${words}, not advertised`
}

/** As a plan's file says it: `PT1H`, or `P1M Europe/Berlin` with its time zone. */
function windowWord(length: WindowLength): string {
  if (typeof length !== 'number') return length.replace('@', ' ')
  if (length % 3_600 === 0) return `PT${length / 3_600}H`
  return length % 60 === 0 ? `PT${length / 60}M` : `PT${length}S`
}

/** The shortest day has 23 hours, the shortest month 28 days. */
function secondsAtLeast(length: WindowLength): number {
  if (typeof length === 'number') return length
  return length.startsWith('P1M') ? 28 * 86_400 : 23 * 3_600
}
