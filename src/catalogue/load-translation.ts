import { isLanguage, type Language } from '../messages/language.ts'
import type { Json, JsonObject, Translation } from './catalogue.ts'
import { isJsonObject, objectsOf } from './json.ts'
import type { LoadedVersion } from './load-version.ts'
import { readMapping, type Sources } from './source.ts'
import { walkDocument } from './walk-document.ts'

/** A file with texts of documents in another language: `apis/xs2a/he.yaml` of one API, `apis/he.yaml` of all. */
export interface TranslationFile {
  readonly path: string
  /** Undefined: the file is of all APIs. */
  readonly api: string | undefined
  readonly language: Language
}

/** A translation that is sound, of one version of an API. */
export interface LoadedTranslation {
  readonly api: string
  readonly version: string
  readonly language: Language
  readonly translation: Translation
}

/** Languages that a translation may have; the documents themselves are in English. */
export function isTranslated(language: string | undefined): language is Language {
  return isLanguage(language) && language !== 'en'
}

const maps = ['tags', 'operations', 'descriptions', 'parameters', 'examples', 'flows'] as const

/**
 * Reads a translation and reports what is wrong with it: members that are no
 * text, and names that none of its documents has.
 *
 * @param versions those that the file is of
 * @returns the translation of each version
 */
export function loadTranslation(
  sources: Sources,
  { path, language }: TranslationFile,
  versions: readonly LoadedVersion[],
): readonly LoadedTranslation[] {
  const file = readMapping(sources, path, 'translation-member')
  if (file === undefined) return []
  const known = knownNames(versions)
  for (const [member, at] of Object.entries(file)) {
    if (member !== 'versions' && !maps.some((map) => map === member)) {
      const message = `is not known; there are: ${['versions', ...maps].join(', ')}`
      sources.report({ rule: 'translation-member', at: file, member, message })
    } else if (!isJsonObject(at)) {
      sources.report({ rule: 'translation-member', at: file, member, message: 'must be a mapping' })
    }
  }
  const texts = {
    tags: readTexts(sources, file['tags'], known.tags),
    operations: readTexts(sources, file['operations'], known.operations),
    descriptions: readTexts(sources, file['descriptions'], known.descriptions),
    parameters: readTexts(sources, file['parameters'], known.parameters),
    examples: readTexts(sources, file['examples'], known.examples),
    flows: readTexts(sources, file['flows'], known.flows),
  }
  const own = readVersions(sources, file['versions'], versions)
  return versions.map(({ api, version }) => ({
    api,
    version,
    language,
    translation: { ...texts, ...own.get(version) },
  }))
}

/** Texts by name; a name that the documents lack is reported. */
function readTexts(
  sources: Sources,
  at: Json | undefined,
  known: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  if (!isJsonObject(at)) return texts
  for (const [member, text] of Object.entries(at)) {
    if (typeof text !== 'string' || text.trim() === '') {
      sources.report({ rule: 'translation-member', at, member, message: 'must be a text' })
    } else if (!known.has(member)) reportUnknown(sources, at, member)
    else texts[member] = text.trim()
  }
  return texts
}

type OwnTexts = Pick<Translation, 'title' | 'summary' | 'description'>
const ownTexts: ReadonlySet<string> = new Set(['title', 'summary', 'description'])

function readVersions(
  sources: Sources,
  at: Json | undefined,
  versions: readonly LoadedVersion[],
): ReadonlyMap<string, OwnTexts> {
  const own = new Map<string, OwnTexts>()
  if (!isJsonObject(at)) return own
  for (const [member, texts] of Object.entries(at)) {
    if (versions.every(({ version }) => version !== member)) reportUnknown(sources, at, member)
    else if (isJsonObject(texts)) own.set(member, readTexts(sources, texts, ownTexts))
    else sources.report({ rule: 'translation-member', at, member, message: 'must be a mapping' })
  }
  return own
}

function reportUnknown(sources: Sources, at: JsonObject, member: string): void {
  const message = 'is not in the documents that this file is of'
  sources.report({ rule: 'translation-unknown', at, member, message })
}

/** The names of all versions: the documents share most of their texts. */
function knownNames(versions: readonly LoadedVersion[]) {
  const known = {
    tags: new Set<string>(),
    operations: new Set<string>(),
    descriptions: new Set<string>(),
    parameters: new Set<string>(),
    examples: new Set<string>(),
    flows: new Set<string>(),
  }
  for (const { document, operations } of versions) {
    for (const { id, operation } of operations) {
      known.operations.add(id)
      for (const { name } of operation.parameters) known.parameters.add(name)
    }
    for (const { title } of objectsOf(document['x-sample-flows'])) {
      if (typeof title === 'string') known.flows.add(title)
    }
    for (const { kind, value } of walkDocument(document)) {
      const { name, operationId, summary } = value
      if (typeof operationId === 'string' && 'description' in value) {
        known.descriptions.add(operationId)
      }
      if (kind === 'tag' && typeof name === 'string') known.tags.add(name)
      if (kind === 'example' && typeof summary === 'string') known.examples.add(summary)
    }
  }
  return known
}
