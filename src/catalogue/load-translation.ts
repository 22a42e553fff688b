import { isLanguage, type Language } from '../messages/language.ts'
import type { Json, JsonObject, Translation } from './catalogue.ts'
import { operationObject } from './documents/operation-object.ts'
import {
  type TranslationMap,
  translatableTexts,
  translationMaps,
} from './documents/translatable-texts.ts'
import { upgraded } from './documents/upgrade.ts'
import { isJsonObject } from './json.ts'
import type { LoadedVersion } from './load-version.ts'
import { readMapping, type Sources } from './source.ts'

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
  /** The content of its file, which may be of all APIs. */
  readonly at: JsonObject
  readonly isOfAllApis: boolean
}

/** Languages that a translation may have; the documents themselves are in English. */
export function isTranslated(language: string | undefined): language is Language {
  return isLanguage(language) && language !== 'en'
}

/**
 * Reads a translation and reports what is wrong with it: members that are no
 * text, and names that none of its documents has.
 *
 * @param versions those that the file is of
 * @returns the translation of each version
 */
export function loadTranslation(
  sources: Sources,
  translated: TranslationFile,
  versions: readonly LoadedVersion[],
): readonly LoadedTranslation[] {
  const { path, language } = translated
  const reader = readerOf(sources, translated)
  const file = readMapping(sources, path, 'translation-member')
  if (file === undefined) return []
  const known = knownNames(versions)
  for (const [member, at] of Object.entries(file)) {
    if (member !== 'versions' && !translationMaps.some((map) => map === member)) {
      const message = `is not known; there are: ${['versions', ...translationMaps].join(', ')}`
      sources.report({ rule: 'translation-member', at: file, member, message })
    } else if (!isJsonObject(at)) {
      sources.report({ rule: 'translation-member', at: file, member, message: 'must be a mapping' })
    }
  }
  const texts = Object.fromEntries(
    translationMaps.map((map) => [map, readTexts(reader, file[map], known[map])]),
  ) as Record<TranslationMap, Readonly<Record<string, string>>>
  const own = readVersions(reader, file['versions'], versions)
  return versions.map(({ api, version }) => ({
    api,
    version,
    language,
    translation: { ...texts, ...own.get(version) },
    at: file,
    isOfAllApis: translated.api === undefined,
  }))
}

/** Texts by name; a name that the documents lack is reported. */
function readTexts(
  { sources, reportUnknown }: Reader,
  at: Json | undefined,
  known: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  if (!isJsonObject(at)) return texts
  for (const [member, text] of Object.entries(at)) {
    if (typeof text !== 'string' || text.trim() === '') {
      sources.report({ rule: 'translation-member', at, member, message: 'must be a text' })
    } else if (!known.has(member.trim())) reportUnknown(at, member)
    else texts[member.trim()] = text.trim()
  }
  return texts
}

/** What a document says about itself. */
export const ownTexts = ['title', 'summary', 'description'] as const
type OwnTexts = Pick<Translation, (typeof ownTexts)[number]>

function readVersions(
  reader: Reader,
  at: Json | undefined,
  versions: readonly LoadedVersion[],
): ReadonlyMap<string, OwnTexts> {
  const own = new Map<string, OwnTexts>()
  if (!isJsonObject(at)) return own
  for (const [member, texts] of Object.entries(at)) {
    if (versions.every(({ version }) => version !== member)) reader.reportUnknown(at, member)
    else if (isJsonObject(texts)) own.set(member, readTexts(reader, texts, new Set(ownTexts)))
    else
      reader.sources.report({
        rule: 'translation-member',
        at,
        member,
        message: 'must be a mapping',
      })
  }
  return own
}

interface Reader {
  readonly sources: Sources
  /** A name that no document has. */
  readonly reportUnknown: (at: JsonObject, member: string) => void
}

/** In a file of all APIs, an unknown name may be of an API that is no longer published. */
function readerOf(sources: Sources, { api }: TranslationFile): Reader {
  const message = 'is not in the documents that this file is of'
  const rule = 'translation-unknown'
  return {
    sources,
    reportUnknown: (at, member) =>
      api === undefined
        ? sources.warn({ rule, at, member, message })
        : sources.report({ rule, at, member, message }),
  }
}

/** The names of all versions: the documents share most of their texts. */
function knownNames(
  versions: readonly LoadedVersion[],
): Readonly<Record<TranslationMap, ReadonlySet<string>>> {
  const known = Object.fromEntries(
    translationMaps.map((map) => [map, new Set<string>()]),
  ) as Record<TranslationMap, Set<string>>
  for (const { source, operations } of versions) {
    const document = upgraded(source)
    for (const { id, template, method } of operations) {
      known.operations.add(id)
      for (const { name } of operationObject(document, template, method)?.parameters ?? []) {
        known.parameters.add(name)
      }
    }
    for (const { map, name } of translatableTexts(document)) known[map].add(name)
  }
  return known
}

/** One translation of several files. Later ones replace what earlier ones say. */
export function mergedTranslation(translations: readonly Translation[]): Translation {
  const maps = translationMaps.map((map) => [
    map,
    Object.assign({}, ...translations.map((translation) => translation[map])),
  ])
  return Object.assign({}, ...translations, Object.fromEntries(maps))
}
