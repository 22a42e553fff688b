import { setImmediate as turn } from 'node:timers/promises'
import { assembleCatalogue } from './assemble-catalogue.ts'
import { loadBrand } from './brand/load-brand.ts'
import { type Catalogue, versionKey } from './catalogue.ts'
import { CatalogueError, type CatalogueProblem } from './catalogue-error.ts'
import {
  besideDocuments,
  type ConfigurationFiles,
  checkFolders,
  findFiles,
  reportUnknownFile,
} from './configuration-files.ts'
import { type LoadedPlan, loadPlan } from './load-plan.ts'
import { type LoadedTranslation, loadTranslation } from './load-translation.ts'
import { type LoadedVersion, loadVersion } from './load-version.ts'
import { shapeOf } from './path-template.ts'
import { matches, patternsOf } from './plan-patterns.ts'
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
  translations: readonly LoadedTranslation[],
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
  const further = furtherCheck(sources, versions, translations)
  const problems = [...sources.problems, ...further]
  if (problems.length > 0) throw new CatalogueError(problems)
  return assembleCatalogue({ versions, translations, plans, brand, digest: sources.digest() })
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

/** Two versions may share a prefix, but not a method on a path. Reports each pair once. */
function checkClaims(sources: Sources, versions: readonly LoadedVersion[]): void {
  const claims = new Map<string, string>()
  for (const { api, version, prefix, operations } of versions) {
    const own = versionKey(api, version)
    const claimed = operations.map((operation) => {
      const { method, segments } = operation
      const claim = `${method} ${prefix}/${segments.map(shapeOf).join('/')}`
      const owner = claims.get(claim) ?? own
      claims.set(claim, owner)
      return { operation, owner }
    })
    for (const [owner, [first, ...others]] of Map.groupBy(claimed, (each) => each.owner)) {
      if (owner === own || first === undefined) continue
      const { method, template, object } = first.operation
      const more = others.length === 0 ? '' : ` and ${others.length} more`
      const message = `${own} and ${owner} both publish ${method} ${prefix}${template}${more}; give one of the versions another prefix, in x-tollgate or with tollgate publish --prefix`
      const example = `x-tollgate: { prefix: /${api}/v${version} }`
      sources.report({ rule: 'operation-claimed', at: object, message, example })
    }
  }
}

function checkPatterns(
  sources: Sources,
  versions: readonly LoadedVersion[],
  plans: readonly LoadedPlan[],
  files: ConfigurationFiles,
): void {
  const patterns = new Set(files.versions.flatMap(patternsOf))
  for (const { plan, apisAt } of plans) {
    for (const [member, pattern] of plan.apis.entries()) {
      if (patterns.has(pattern)) continue
      const known = files.versions.map(({ api, version }) => versionKey(api, version)).join(', ')
      const message = `${JSON.stringify(pattern)} matches no version; there are: ${known}`
      sources.report({ rule: 'plan-api-unmatched', at: apisAt, member, message })
    }
  }
  // A plan that could not be read may be the one that has the version.
  if (plans.length < files.plans.length) return
  const offered = plans.filter(({ rehearses }) => rehearses === undefined)
  const offers = new Set(offered.flatMap(({ plan }) => plan.apis))
  for (const version of versions) {
    if (matches(offers, version)) continue
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
