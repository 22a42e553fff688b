import { setImmediate as turn } from 'node:timers/promises'
import type { Brand } from './brand/brand.ts'
import { loadBrand } from './brand/load-brand.ts'
import {
  type ApiVersion,
  type Catalogue,
  type Operation,
  type Plan,
  type Rehearsal,
  type Translation,
  versionKey,
} from './catalogue.ts'
import { CatalogueError, type CatalogueProblem } from './catalogue-error.ts'
import {
  besideDocuments,
  type ConfigurationFiles,
  checkFolders,
  findFiles,
  reportUnknownFile,
} from './configuration-files.ts'
import { frozenMap } from './frozen-map.ts'
import { deepFreeze } from './json.ts'
import { type LoadedPlan, loadPlan } from './load-plan.ts'
import { type LoadedTranslation, loadTranslation } from './load-translation.ts'
import { type LoadedVersion, loadVersion } from './load-version.ts'
import { shapeOf } from './path-template.ts'
import { preload } from './preload.ts'
import { reportSuccessor } from './read-lifecycle.ts'
import { createSources, type Sources } from './source.ts'
import { whileUnchanged } from './while-unchanged.ts'

export { CatalogueError, type CatalogueProblem, renderCatalogueProblem } from './catalogue-error.ts'

/**
 * Loads everything that is published: each `apis/<api>/<version>.yaml` with the
 * files it refers to, the translations `apis/<language>.yaml` and
 * `apis/<api>/<language>.yaml`, each `plans/<name>.yaml`, and `brand.yaml` with the files
 * it names. Ignores files whose names begin with a dot; reads other folders only
 * if a reference leads there.
 *
 * Files that change while they are read are read again, so that a catalogue is
 * never built from files of both before and after a change.
 *
 * Leaves compiling the schemas and checking the examples to `inspectCatalogue`:
 * both take longer than everything else, and serving does not depend on them.
 *
 * @throws {CatalogueError} with every problem, if there is any
 */
export async function loadCatalogue(configDir: string): Promise<Catalogue> {
  return loadCatalogueWith(configDir, () => [])
}

/** A further check of all documents that could be read. Returns further problems. */
export type FurtherCheck = (
  sources: Sources,
  versions: readonly LoadedVersion[],
) => readonly CatalogueProblem[]

/**
 * Loads the catalogue and reports what a further check finds together with the
 * rest.
 *
 * @throws {CatalogueError} with every problem, if there is any
 */
export async function loadCatalogueWith(
  configDir: string,
  furtherCheck: FurtherCheck,
): Promise<Catalogue> {
  return whileUnchanged(configDir, () => loadOnce(configDir, furtherCheck))
}

async function loadOnce(configDir: string, furtherCheck: FurtherCheck): Promise<Catalogue> {
  const sources = createSources({ configDir })
  checkFolders(sources, configDir)
  const files = await findFiles(sources, configDir)
  const paths = files.versions.flatMap(({ path, overlay = [] }) => [path].concat(overlay))
  await preload({ sources, paths })
  const versions: LoadedVersion[] = []
  for (const file of files.versions) {
    await turn()
    const version = loadVersion(sources, file)
    if (version !== undefined) versions.push(version)
  }
  for (const path of files.others) {
    if (!sources.hasRead(path)) reportUnknownFile(sources, path, besideDocuments)
  }
  const plans = files.plans
    .map(({ path, name }) => loadPlan(sources, path, name))
    .filter((plan) => plan !== undefined)
  const translations = files.translations.flatMap((file) => {
    const isOf = ({ api }: { readonly api: string }) => file.api === undefined || file.api === api
    const own = versions.filter(isOf)
    // A document that could not be read may be the one that has a name.
    const expected = files.versions.filter(isOf)
    return own.length < expected.length ? [] : loadTranslation(sources, file, own)
  })
  const brand = loadBrand({ sources, configDir })
  checkSuccessors(sources, versions, files)
  checkClaims(sources, versions)
  checkPatterns(sources, versions, plans, files)
  checkRehearsals(sources, plans, files)
  const further = furtherCheck(sources, versions)
  const problems = [...sources.problems, ...further]
  if (problems.length > 0) throw new CatalogueError(problems)
  await turn()
  return assemble({ versions, translations, plans, brand, digest: sources.digest() })
}

function checkSuccessors(
  sources: Sources,
  versions: readonly LoadedVersion[],
  files: ConfigurationFiles,
): void {
  for (const { api, version, lifecycle, lifecycleAt } of versions) {
    const { successor } = lifecycle
    if (successor === undefined || lifecycleAt === undefined) continue
    const others = files.versions.filter((other) => other.api === api && other.version !== version)
    if (others.some((other) => other.version === successor)) continue
    const known = others.map((other) => other.version).join(', ') || 'none'
    const what = `${JSON.stringify(successor)} is not another version of ${api}; other versions: ${known}`
    reportSuccessor(sources, lifecycleAt, what)
  }
}

/** Two versions may share a prefix, but not a method on a path. */
function checkClaims(sources: Sources, versions: readonly LoadedVersion[]): void {
  const claims = new Map<string, string>()
  for (const { api, version, prefix, operations } of versions) {
    for (const { method, template, segments, object } of operations) {
      const claim = `${method} ${prefix}/${segments.map(shapeOf).join('/')}`
      const owner = claims.get(claim)
      if (owner === undefined) {
        claims.set(claim, `${method} ${template} of ${versionKey(api, version)}`)
      } else {
        const message = `${prefix}${template} is already published by ${owner}; give one of the versions another prefix`
        const example = `x-tollgate: { prefix: /${api}/v${version} }`
        sources.report({ rule: 'operation-claimed', at: object, message, example })
      }
    }
  }
}

function checkPatterns(
  sources: Sources,
  versions: readonly LoadedVersion[],
  plans: readonly LoadedPlan[],
  files: ConfigurationFiles,
): void {
  for (const { plan, apisAt } of plans) {
    for (const [member, pattern] of plan.apis.entries()) {
      if (files.versions.some((file) => matches(pattern, file))) continue
      const known = files.versions.map(({ api, version }) => versionKey(api, version)).join(', ')
      const message = `${JSON.stringify(pattern)} matches no version; there are: ${known}`
      sources.report({ rule: 'plan-api-unmatched', at: apisAt, member, message })
    }
  }
  // A plan that could not be read may be the one that has the version.
  if (plans.length < files.plans.length) return
  for (const version of versions) {
    const isOffered = ({ plan, rehearses }: LoadedPlan): boolean =>
      rehearses === undefined && plan.apis.some((pattern) => matches(pattern, version))
    if (plans.some(isOffered)) continue
    const message = 'no plan offers this version, so no application can subscribe to it'
    const example = `apis: ["${version.api}@*"]`
    sources.report({ rule: 'version-without-plan', at: version.source, message, example })
  }
}

/** A rehearsal is about a plan that applications have, and each plan has at most one. */
function checkRehearsals(
  sources: Sources,
  plans: readonly LoadedPlan[],
  files: ConfigurationFiles,
): void {
  for (const [index, { plan, rehearses, at }] of plans.entries()) {
    if (rehearses === undefined) continue
    const report = (message: string): void =>
      sources.report({ rule: 'plan-rehearses', at, member: 'rehearses', message })
    const other = plans.find((each) => each.plan.name === rehearses)
    // One that could not be read is reported already.
    if (other === undefined && files.plans.some(({ name }) => name === rehearses)) continue
    if (other === undefined || other.rehearses !== undefined) {
      const offered = plans.filter((each) => each.rehearses === undefined)
      const known = offered.map((each) => each.plan.name).join(', ')
      report(`${JSON.stringify(rehearses)} is not an offered plan; offered plans: ${known}`)
    }
    const earlier = plans.slice(0, index).find((each) => each.rehearses === rehearses)
    if (earlier === undefined) continue
    report(
      `${rehearses} is rehearsed by ${earlier.plan.name} already; ${plan.name} is one too many`,
    )
  }
}

function matches(
  pattern: string,
  { api, version }: { readonly api: string; readonly version: string },
): boolean {
  return pattern === versionKey(api, '*') || pattern === versionKey(api, version)
}

interface Parts {
  readonly versions: readonly LoadedVersion[]
  readonly translations: readonly LoadedTranslation[]
  readonly plans: readonly LoadedPlan[]
  readonly brand: Brand
  readonly digest: string
}

function assemble(parts: Parts): Catalogue {
  const { versions, plans, brand, digest } = parts
  const offered = plans.filter(({ rehearses }) => rehearses === undefined)
  const planEntries = offered.map(({ plan }) => {
    const rehearsed = plans.find(({ rehearses }) => rehearses === plan.name)
    const rehearsal = rehearsed && rehearsalOf(rehearsed.plan, versions)
    return [plan.name, deepFreeze(rehearsal === undefined ? plan : { ...plan, rehearsal })] as const
  })
  const versionEntries = versions.map((loaded) => {
    const made = deepFreeze(apiVersion(loaded, { ...parts, plans: offered }))
    return [versionKey(made.api, made.version), made] as const
  })
  return Object.freeze({
    versions: frozenMap(versionEntries),
    plans: frozenMap(planEntries),
    brand,
    digest,
  })
}

function rehearsalOf(plan: Plan, versions: readonly LoadedVersion[]): Rehearsal {
  const { name, title, apis, limits, onStoreOutage } = plan
  const own = versions.filter((version) => apis.some((pattern) => matches(pattern, version)))
  const keys = own.map(({ api, version }) => versionKey(api, version))
  return { name, title, apis, limits, onStoreOutage, versions: keys }
}

function apiVersion(
  loaded: LoadedVersion,
  { versions, translations, plans }: Omit<Parts, 'brand' | 'digest'>,
): ApiVersion {
  const { api, version, title, prefix, basePath, backend, forwardHeaders, lifecycle, source } =
    loaded
  const siblings = versions.filter((other) => other.api === api)
  const ids = siblings.map((sibling) => new Set(sibling.operations.map((other) => other.id)))
  const operations = loaded.operations.map(
    ({ id, method, template, segments, summary, psd2Role, hasBody }): Operation => ({
      id,
      api,
      version,
      method,
      path: prefix + template,
      template,
      segments,
      summary,
      psd2Role,
      hasBody,
      availableIn: siblings.filter((_, at) => ids[at]?.has(id)).map((sibling) => sibling.version),
    }),
  )
  const names = plans
    .map(({ plan }): Plan => plan)
    .filter((plan) => plan.apis.some((pattern) => matches(pattern, loaded)))
    .map((plan) => plan.name)
  const own = translations.filter((each) => each.api === api && each.version === version)
  return {
    api,
    version,
    title,
    prefix,
    basePath,
    backend,
    forwardHeaders,
    lifecycle,
    successorPrefix: siblings.find((other) => other.version === lifecycle.successor)?.prefix,
    operations,
    source,
    plans: names,
    translations: Object.fromEntries(
      Object.entries(Object.groupBy(own, ({ language }) => language)).map(([language, files]) => [
        language,
        merged(files.map(({ translation }) => translation)),
      ]),
    ),
  }
}

/** Later ones replace what earlier ones say. */
function merged(translations: readonly Translation[]): Translation {
  const all = {
    tags: {},
    operations: {},
    descriptions: {},
    parameters: {},
    examples: {},
    flows: {},
  }
  for (const translation of translations) {
    const { tags, operations, descriptions, parameters, examples, flows, ...own } = translation
    Object.assign(all, own)
    Object.assign(all.tags, tags)
    Object.assign(all.operations, operations)
    Object.assign(all.descriptions, descriptions)
    Object.assign(all.parameters, parameters)
    Object.assign(all.examples, examples)
    Object.assign(all.flows, flows)
  }
  return all
}
