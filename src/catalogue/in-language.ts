import type { Language } from '../messages/language.ts'
import type { ApiVersion, Json, JsonObject, OpenApiDocument, Translation } from './catalogue.ts'
import { translatableTexts } from './documents/translatable-texts.ts'
import { isJsonArray, isJsonObject } from './json.ts'

/** The texts of a version in a language: those that its translation lacks are the document's own. */
export interface VersionTexts {
  readonly title: string
  /** What the version offers, in a sentence; undefined: only the document describes it. */
  readonly summary: string | undefined
  /** Undefined: only the document has it. */
  readonly description: string | undefined
  tag(name: string): string
  flow(title: string): string
  operation(of: { readonly id: string; readonly summary: string }): string
}

/** Gives the texts of a version in a language. */
export function textsOf({ title, translations }: ApiVersion, language: Language): VersionTexts {
  const translation = translations[language]
  return {
    title: translation?.title ?? title,
    summary: translation?.summary,
    description: translation?.description,
    flow: (title) => textIn(translation?.flows, title) ?? title,
    tag: (name) => textIn(translation?.tags, name) ?? name,
    operation: ({ id, summary }) => textIn(translation?.operations, id) ?? summary,
  }
}

/** What a reader calls a version: `Mandates 1.0.0`. */
export function versionTitle(published: ApiVersion, language: Language): string {
  return `${textsOf(published, language).title} ${published.version}`
}

/** The document of a version with the texts of a translation in the place of its own. */
export function translatedDocument(
  document: OpenApiDocument,
  translation: Translation,
): OpenApiDocument {
  const texts = new Map<JsonObject, Record<string, string>>()
  for (const { map, name, place } of translatableTexts(document)) {
    const text = textIn(translation[map], name)
    if (text === undefined || place === undefined) continue
    texts.set(place.at, { ...texts.get(place.at), [place.member]: text })
  }
  const { title = document.info['title'] } = translation
  // A copy has the members of what it copies.
  const copy = copyWith(document, texts) as OpenApiDocument
  return { ...copy, info: { ...copy.info, title } }
}

function copyWith(value: Json, texts: ReadonlyMap<JsonObject, JsonObject>): Json {
  if (isJsonArray(value)) return value.map((item) => copyWith(item, texts))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    member === undefined ? undefined : copyWith(member, texts),
  ])
  return { ...Object.fromEntries(members), ...texts.get(value) }
}

function textIn(
  texts: Readonly<Record<string, string>> | undefined,
  name: Json | undefined,
): string | undefined {
  if (texts === undefined || typeof name !== 'string') return undefined
  return Object.hasOwn(texts, name) ? texts[name] : undefined
}
