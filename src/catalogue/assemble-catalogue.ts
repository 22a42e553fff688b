import { setImmediate as turn } from 'node:timers/promises'
import type { Brand } from './brand/brand.ts'
import {
  type ApiVersion,
  type Catalogue,
  type Operation,
  type Plan,
  type Rehearsal,
  versionKey,
} from './catalogue.ts'
import { keptDocument } from './documents/kept-document.ts'
import { frozenMap } from './frozen-map.ts'
import { deepFreeze } from './json.ts'
import type { LoadedPlan } from './load-plan.ts'
import { type LoadedTranslation, mergedTranslation } from './load-translation.ts'
import type { LoadedVersion } from './load-version.ts'
import { matches } from './plan-patterns.ts'

/** What the files of a configuration say, each without the others. */
export interface CatalogueParts {
  readonly versions: readonly LoadedVersion[]
  readonly translations: readonly LoadedTranslation[]
  readonly plans: readonly LoadedPlan[]
  readonly brand: Brand
  readonly digest: string
}

/** Makes the catalogue of its parts, one version per turn of the event loop. */
export async function assembleCatalogue(parts: CatalogueParts): Promise<Catalogue> {
  const { versions, plans, translations, brand, digest } = parts
  const offered = plans.filter(({ rehearses }) => rehearses === undefined)
  const planEntries = offered.map(({ plan }) => {
    const rehearsed = plans.find(({ rehearses }) => rehearses === plan.name)
    const rehearsal = rehearsed && rehearsalOf(rehearsed.plan, versions)
    return [plan.name, deepFreeze(rehearsal === undefined ? plan : { ...plan, rehearsal })] as const
  })
  const patterns = offered.map(({ plan }) => [plan.name, new Set(plan.apis)] as const)
  const versionEntries: (readonly [string, ApiVersion])[] = []
  for (const siblings of Map.groupBy(versions, ({ api }) => api).values()) {
    const havingOperation = versionsById(siblings)
    for (const loaded of siblings) {
      await turn()
      const { api, version } = loaded
      const made = apiVersion(loaded, {
        siblings,
        havingOperation,
        plans: patterns.filter(([, own]) => matches(own, loaded)).map(([name]) => name),
        translations: translations.filter((each) => each.api === api && each.version === version),
      })
      versionEntries.push([versionKey(api, version), deepFreeze(made)])
    }
  }
  return Object.freeze({
    versions: frozenMap(versionEntries),
    plans: frozenMap(planEntries),
    brand,
    digest,
  })
}

function rehearsalOf(plan: Plan, versions: readonly LoadedVersion[]): Rehearsal {
  const { name, title, apis, limits, onStoreOutage } = plan
  const patterns = new Set(apis)
  const own = versions.filter((version) => matches(patterns, version))
  const keys = own.map(({ api, version }) => versionKey(api, version))
  return { name, title, apis, limits, onStoreOutage, versions: keys }
}

/** The labels of the versions that have each operation, oldest first, by the id of the operation. */
function versionsById(versions: readonly LoadedVersion[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { version, operations } of versions) {
    for (const { id } of operations) {
      const labels = found.get(id) ?? []
      found.set(id, labels)
      labels.push(version)
    }
  }
  return found
}

interface Surroundings {
  /** Versions of the same API, the version itself included, oldest first. */
  readonly siblings: readonly LoadedVersion[]
  /** See {@link versionsById}. */
  readonly havingOperation: ReadonlyMap<string, readonly string[]>
  /** Names of the plans that offer it. */
  readonly plans: readonly string[]
  readonly translations: readonly LoadedTranslation[]
}

function apiVersion(
  loaded: LoadedVersion,
  { siblings, havingOperation, plans, translations }: Surroundings,
): ApiVersion {
  const { api, version, title, prefix, basePath, backend, forwardHeaders, lifecycle } = loaded
  const operations = loaded.operations.map(
    ({ id, method, template, segments, summary, tag, psd2Role, hasBody, declared }): Operation => ({
      id,
      api,
      version,
      method,
      path: prefix + template,
      template,
      segments,
      summary,
      tag,
      psd2Role,
      hasBody,
      declared,
      availableIn: havingOperation.get(id) ?? [],
    }),
  )
  const byLanguage = Object.groupBy(translations, ({ language }) => language)
  return {
    api,
    version,
    title,
    prefix,
    basePath,
    backend,
    forwardHeaders,
    lifecycle,
    credentials: loaded.credentials,
    successorPrefix: siblings.find((other) => other.version === lifecycle.successor)?.prefix,
    operations,
    document: keptDocument(loaded.source),
    plans,
    translations: Object.fromEntries(
      Object.entries(byLanguage).map(([language, files]) => [
        language,
        mergedTranslation(files.map(({ translation }) => translation)),
      ]),
    ),
  }
}
