import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogueProblem } from '../../catalogue/catalogue-error.ts'
import { isPublishedName } from '../../catalogue/configuration-files.ts'
import { objectMembersOf } from '../../catalogue/json.ts'
import { canonicalPath } from '../../catalogue/path-spelling.ts'
import { parseTemplate } from '../../catalogue/path-template.ts'
import { isVersionLabel } from '../../catalogue/version-label.ts'
import { ignoreMissing } from '../../platform/log/error-code.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { namesOf } from './names.ts'
import { type OverlayChanges, overlayWith } from './overlay-with.ts'
import { newPlan, planWith, standingOf } from './plan-with.ts'
import { mappingIn, type SourceDocument } from './read-source.ts'
import { bytesOf, type Changes } from './staging.ts'

/** What the command line says about a document; what is undefined follows from the document. */
export interface ProposalOptions {
  readonly backend?: string
  readonly api?: string
  readonly version?: string
  readonly prefix?: string
  readonly plan?: string
  readonly mend?: boolean
  readonly replace?: boolean
}

/** How a document would be published. */
export interface Proposal {
  readonly api: string
  readonly version: string
  /** What `info.version` says, if the version is only its numbers. */
  readonly cutVersion: string | undefined
  /** The plan that has the version, and the pattern that it gets for it, if any. */
  readonly plan: {
    readonly name: string
    readonly added: string | undefined
    readonly isNew?: boolean
  }
  /** What is mended. */
  readonly mends: Mends | undefined
  readonly changes: Changes
  /** Paths below the folder of the configuration that the document may not find there, because it came without them. */
  readonly missing: readonly string[]
  /** Where each file of the document is from, by its path below the folder of the configuration. */
  readonly origins: ReadonlyMap<string, string>
  /** Path of the overlay below the folder of the configuration, where it may be missing. */
  readonly overlayPath: string
}

/** What an overlay can do about the reasons for which a document is refused. */
export type Mends = Pick<OverlayChanges, 'prefix' | 'removed'>

export interface ProposeOptions {
  readonly source: SourceDocument
  readonly options: ProposalOptions
  readonly configDir: string
  /** (Default: none) */
  readonly mends?: Mends | undefined
}

/**
 * Says which files publish a document.
 *
 * @throws {UsageError} if the command line lacks or contradicts something
 * @throws {CommandError} if a file of another version would be lost
 */
export function propose({ source, options, configDir, mends }: ProposeOptions): Proposal {
  const { api, version, cutVersion } = chosenNames(source, options)
  checkAddresses(options)
  const folder = `apis/${api}`
  const document = `${folder}/${version}.${source.isJson ? 'json' : 'yaml'}`
  const changes = new Map<string, Buffer | string | undefined>()
  const origins = new Map<string, string>()
  for (const known of documentsOf(configDir, folder, version)) {
    if (known !== document) changes.set(known, undefined)
  }
  for (const [path, { bytes, place }] of source.files) {
    const target = path === '' ? document : `${folder}/${path}`
    if (path !== '') checkName(path, place)
    changes.set(target, bytes)
    origins.set(target, place)
  }
  const overlayPath = overlayOf(configDir, folder, version)
  const overlay = overlayWith(mappingText(configDir, overlayPath), {
    prefix: options.prefix ?? mends?.prefix,
    backend: options.backend,
    removed: mends?.removed ?? [],
  })
  if (overlay !== undefined) changes.set(overlayPath, overlay)
  if (options.replace !== true) checkOthers(configDir, changes)
  const plan = choosePlan(configDir, options.plan, { api, version })
  if (plan.text !== undefined) changes.set(`plans/${plan.name}.yaml`, plan.text)
  const missing = [...source.missing].map((path) => `${folder}/${path}`)
  return { api, version, cutVersion, plan, mends, changes, missing, origins, overlayPath }
}

/** What an overlay could do about problems; undefined if it could do nothing. */
export function mendsOf(
  { source, options }: Pick<ProposeOptions, 'source' | 'options'>,
  problems: readonly CatalogueProblem[],
): Mends | undefined {
  const { paths } = source.content
  const { api, version } = chosenNames(source, options)
  const isClaimed = problems.some(({ rule }) => rule === 'operation-claimed')
  const prefix = isClaimed && options.prefix === undefined ? `/${api}/v${version}` : undefined
  const removed = objectMembersOf(paths)
    .map(([path]) => path)
    .filter((path) => !path.startsWith('x-') && 'message' in parseTemplate(path))
  return prefix === undefined && removed.length === 0 ? undefined : { prefix, removed }
}

function chosenNames({ content, statedVersion }: SourceDocument, options: ProposalOptions) {
  const made = namesOf(content, statedVersion)
  const { api = made.api, version = made.version } = options
  if (api === undefined) {
    throw new UsageError(
      '--api is missing: the title of the document has no letters for a name (e.g. --api payments)',
    )
  }
  if (version === undefined) {
    throw new UsageError(
      '--version is missing: info.version of the document has no number (e.g. --version 1.0)',
    )
  }
  if (!isPublishedName(api)) {
    throw new UsageError(
      `--api "${api}" is not a lower-case letter followed by lower-case letters, digits and "-"`,
    )
  }
  if (!isVersionLabel(version)) {
    throw new UsageError(
      `--version "${version}" is not up to six numbers with dots between them (e.g. 1.4.0)`,
    )
  }
  const isCut = options.version === undefined && statedVersion !== version
  return { api, version, cutVersion: isCut ? statedVersion : undefined }
}

function checkAddresses({ backend, prefix }: ProposalOptions): void {
  if (backend !== undefined && !/^https?:$/.test(URL.parse(backend)?.protocol ?? '')) {
    throw new UsageError(
      `--backend "${backend}" is not a URL beginning with http:// or https:// (e.g. http://10.0.0.7:3000)`,
    )
  }
  if (prefix !== undefined && canonicalPath(prefix) === undefined) {
    throw new UsageError(`--prefix "${prefix}" is not a path (e.g. /payments/v4, or / for none)`)
  }
}

/** Documents of the version that are there, whatever their format. */
export function documentsOf(configDir: string, folder: string, version: string): readonly string[] {
  return ['yaml', 'yml', 'json']
    .map((format) => `${folder}/${version}.${format}`)
    .filter((path) => existsSync(join(configDir, path)))
}

function overlayOf(configDir: string, folder: string, version: string): string {
  const there = namesIn(join(configDir, folder))
  const format = ['yml', 'json'].find((each) => there.includes(`${version}.overlay.${each}`))
  return `${folder}/${version}.overlay.${format ?? 'yaml'}`
}

/** A file beside the document that the folder of an API would take for something else. */
function checkName(path: string, place: string): void {
  const stem = path.replace(/(\.overlay)?\.(ya?ml|json)$/, '')
  if (isVersionLabel(stem) || /^[a-z]{2}$/.test(stem)) {
    throw new CommandError(
      `the document refers to ${place}, whose name means a version or a language in CONFIG_DIR: rename it`,
    )
  }
}

/** @throws {CommandError} if a file is there with other content */
function checkOthers(configDir: string, changes: Changes): void {
  for (const [path, content] of changes) {
    const file = join(configDir, path)
    const there = bytesOf(file)
    if (there === undefined) continue
    if (content !== undefined && there.equals(Buffer.from(content))) continue
    throw new CommandError(
      `${file} exists${content === undefined ? '' : ' with other content'}. --replace replaces it; --version or --api publish the document beside it`,
    )
  }
}

/** The plan that has the version or gets it, with its new text. */
function choosePlan(
  configDir: string,
  asked: string | undefined,
  entry: { readonly api: string; readonly version: string },
) {
  const { api, version } = entry
  const plans = namesIn(join(configDir, 'plans'))
    .filter((file) => !file.startsWith('.') && file.endsWith('.yaml'))
    .map((file) => {
      const text = mappingText(configDir, `plans/${file}`) ?? ''
      return { name: file.slice(0, -'.yaml'.length), text, standing: standingOf(text, entry) }
    })
  const known = plans.map(({ name }) => name).join(', ')
  if (plans.length === 0) {
    const name = asked ?? 'default'
    if (!isPublishedName(name)) {
      throw new UsageError(
        `--plan "${name}" is not a lower-case letter followed by lower-case letters, digits and "-"`,
      )
    }
    return { name, added: `${api}@*`, isNew: true, text: newPlan(name, api) }
  }
  const holder = plans.find(({ standing }) => standing === 'has')
  if (asked === undefined && holder !== undefined) {
    return { name: holder.name, added: undefined, text: undefined }
  }
  const ofOthers = plans.filter(({ standing }) => standing === 'others')
  const named = plans.find(({ name }) => name === (asked ?? 'default'))
  const chosen = asked === undefined && ofOthers.length > 0 ? onlyOf(ofOthers) : named
  if (chosen === undefined) {
    throw new UsageError(
      asked === undefined
        ? `--plan is missing: which plan gets ${api}@${version}. There are: ${known}`
        : `--plan "${asked}" is not a plan; there are: ${known}`,
    )
  }
  if (chosen.standing === 'has') return { name: chosen.name, added: undefined, text: undefined }
  // An API that a plan has only some versions of keeps being chosen version by version.
  const isNew = plans.every(({ standing }) => standing === 'none')
  const added = isNew ? `${api}@*` : `${api}@${version}`
  return { name: chosen.name, added, text: planWith(chosen.text, added) }
}

function onlyOf<Item>([first, ...others]: readonly Item[]): Item | undefined {
  return others.length === 0 ? first : undefined
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    ignoreMissing(error)
    return []
  }
}

/**
 * The text of a file that is there, which the changes add to.
 *
 * @throws {CommandError} if it is no mapping
 */
function mappingText(configDir: string, path: string): string | undefined {
  const place = join(configDir, path)
  const text = bytesOf(place)?.toString('utf8')
  if (text === undefined) return undefined
  mappingIn(text, { place, isJson: path.endsWith('.json'), otherwise: 'must be a mapping' })
  return text
}
