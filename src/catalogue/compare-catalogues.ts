import { type ApiVersion, type Catalogue, type Lifecycle, versionKey } from './catalogue.ts'
import type { CatalogueChange, Harm } from './catalogue-change.ts'
import { comparePlans } from './compare-plans.ts'
import { diffVersions, type VersionDiff } from './diff.ts'
import { isRetired } from './lifecycle.ts'

/** What a configuration says about calls; its brand is not compared. */
export type Compared = Pick<Catalogue, 'versions' | 'plans'>

export interface CompareCataloguesOptions {
  /** The active one. */
  readonly from: Compared
  readonly to: Compared
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Lists what differs, versions before plans, each in the order of its name. */
export function compareCatalogues({
  from,
  to,
  nowMs,
}: CompareCataloguesOptions): readonly CatalogueChange[] {
  return [
    ...named(from.versions, to.versions).flatMap(([old, young]) =>
      compareVersions(old, young, nowMs),
    ),
    ...named(from.plans, to.plans).flatMap(([old, young]) => comparePlans(old, young)),
    ...compareOffers(from, to),
  ]
}

/** Values of two maps side by side. */
function named<Value>(
  from: ReadonlyMap<string, Value>,
  to: ReadonlyMap<string, Value>,
): readonly (readonly [Value | undefined, Value | undefined])[] {
  const names = [...new Set([...from.keys(), ...to.keys()])].sort()
  return names.map((name) => [from.get(name), to.get(name)])
}

function compareVersions(
  old: ApiVersion | undefined,
  young: ApiVersion | undefined,
  nowMs: number,
): readonly CatalogueChange[] {
  if (old === undefined) return young === undefined ? [] : [ofVersion(young, 'version.added')]
  if (young === undefined) {
    // Its calls already get 410.
    const harm = isRetired(old.lifecycle, nowMs) ? 'none' : 'removes'
    return [{ ...ofVersion(old, 'version.removed'), harm }]
  }
  return [
    ...compareLifecycles(old, young, nowMs),
    ...comparePublications(old, young),
    ...compareOperations(diffVersions(old, young), young),
  ]
}

function ofVersion(
  { api, version }: Pick<ApiVersion, 'api' | 'version'>,
  kind: CatalogueChange['kind'],
): CatalogueChange {
  return { kind, api, version, harm: 'none' }
}

const stages = [
  'deprecated',
  'sunset',
  'successor',
  'retired',
] as const satisfies readonly (keyof Lifecycle)[]

function compareLifecycles(
  old: ApiVersion,
  young: ApiVersion,
  nowMs: number,
): readonly CatalogueChange[] {
  return stages.flatMap((stage) => {
    const from = old.lifecycle[stage]
    const to = young.lifecycle[stage]
    if (from === to) return []
    return [
      {
        ...ofVersion(young, `version.${stage}`),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        harm: stage === 'retired' ? harmOfRetirement(old, young, nowMs) : ('none' as const),
      },
    ]
  })
}

function comparePublications(old: ApiVersion, young: ApiVersion): readonly CatalogueChange[] {
  const backendOf = ({ backend, basePath }: ApiVersion) =>
    `${backend ?? 'BACKEND_URL'}, base path ${basePath === '' ? '/' : basePath}`
  const facts = [
    // Calls under the old one get 404.
    { kind: 'version.prefix', from: old.prefix, to: young.prefix, harm: 'removes' },
    { kind: 'version.backend', from: backendOf(old), to: backendOf(young), harm: 'none' },
    {
      kind: 'version.forwardHeaders',
      from: old.forwardHeaders,
      to: young.forwardHeaders,
      harm: young.forwardHeaders === 'declared' ? 'restricts' : 'none',
    },
  ] as const
  return facts.flatMap(({ kind, from, to, harm }) =>
    from === to ? [] : [{ ...ofVersion(young, kind), from, to, harm }],
  )
}

function harmOfRetirement(old: ApiVersion, young: ApiVersion, nowMs: number): Harm {
  const { retired: from } = old.lifecycle
  const { retired: to } = young.lifecycle
  if (to === undefined || isRetired(old.lifecycle, nowMs)) return 'none'
  if (isRetired(young.lifecycle, nowMs)) return 'removes'
  return from === undefined || to < from ? 'restricts' : 'none'
}

function compareOperations(
  { added, removed, changed }: VersionDiff,
  young: ApiVersion,
): readonly CatalogueChange[] {
  return [
    ...added.map(
      ({ id }): CatalogueChange => ({ ...ofVersion(young, 'operation.added'), operation: id }),
    ),
    ...removed.map(
      ({ id, method, template }): CatalogueChange => ({
        ...ofVersion(young, 'operation.removed'),
        operation: id,
        from: `${method} ${template}`,
        harm: 'removes',
      }),
    ),
    ...changed.flatMap(({ id, changes }) =>
      changes.map(
        ({ where, message, isBreaking }): CatalogueChange => ({
          ...ofVersion(young, 'operation.changed'),
          operation: id,
          to: `${where}: ${message}`,
          harm: isBreaking ? 'restricts' : 'none',
        }),
      ),
    ),
  ]
}

/** Plans that stay and versions that stay, but not together. */
function compareOffers(from: Compared, to: Compared): readonly CatalogueChange[] {
  return [...from.versions].flatMap(([key, old]) => {
    const young = to.versions.get(key)
    if (young === undefined) return []
    const stays = (plan: string) => from.plans.has(plan) && to.plans.has(plan)
    const lost = old.plans.filter((plan) => stays(plan) && !young.plans.includes(plan))
    const won = young.plans.filter((plan) => stays(plan) && !old.plans.includes(plan))
    return [
      ...lost.map(
        (plan): CatalogueChange => ({ ...ofVersion(old, 'offer.removed'), plan, harm: 'removes' }),
      ),
      ...won.map((plan): CatalogueChange => ({ ...ofVersion(old, 'offer.added'), plan })),
    ]
  })
}

/** Whether applications may call a version under a plan: it is published for it and not retired. */
export function isOffered(
  { versions, plans }: Compared,
  { api, version, plan }: { readonly api: string; readonly version: string; readonly plan: string },
  nowMs: number,
): boolean {
  const published = versions.get(versionKey(api, version))
  if (published === undefined || isRetired(published.lifecycle, nowMs)) return false
  return published.plans.includes(plan) && plans.has(plan)
}
