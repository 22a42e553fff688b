import type { JsonObject, OpenApiDocument } from '../catalogue.ts'
import { objectsOf } from '../json.ts'
import { type Visited, walkDocument } from './walk-document.ts'

/** The maps of a translation, each of one kind of texts. */
export const translationMaps = [
  'tags',
  'operations',
  'descriptions',
  'parameters',
  'examples',
  'flows',
  'texts',
] as const

export type TranslationMap = (typeof translationMaps)[number]

/** A text of a document, and where a translation has it. */
export interface TranslatableText {
  readonly map: TranslationMap
  /** The name of the text in the map. */
  readonly name: string
  /** The object whose member a translation replaces; undefined: the text is a name that stays in the document. */
  readonly place: { readonly at: JsonObject; readonly member: string } | undefined
  /** False where only a translation would have the text. */
  readonly isInDocument: boolean
}

/** Every text of a document that a translation can replace, except what the document says about itself. */
export function translatableTexts(document: OpenApiDocument): readonly TranslatableText[] {
  return [
    ...walkDocument(document).flatMap(textsIn),
    ...objectsOf(document['x-sample-flows']).flatMap(({ title }) => nameOf('flows', title)),
  ]
}

function textsIn({ kind, value, pointer }: Visited): readonly TranslatableText[] {
  const { operationId, name, summary, description } = value
  if (kind === 'operation') {
    return [
      ...textAt(value, 'summary', 'operations', operationId),
      ...('description' in value ? textAt(value, 'description', 'descriptions', operationId) : []),
    ]
  }
  if (kind === 'parameter') return textAt(value, 'description', 'parameters', name)
  const described = textAt(value, 'description', 'texts', description)
  if (kind === 'tag') return [...nameOf('tags', name), ...described]
  if (kind === 'example') return [...textAt(value, 'summary', 'examples', summary), ...described]
  // A reader sees the titles of forms only; other titles repeat the names of members.
  const isForm = kind === 'schema' && /\/(?:oneOf|anyOf)\/\d+$/.test(pointer)
  return isForm ? [...textAt(value, 'title', 'texts', value['title']), ...described] : described
}

function textAt(
  at: JsonObject,
  member: string,
  map: TranslationMap,
  name: unknown,
): readonly TranslatableText[] {
  if (typeof name !== 'string' || name.trim() === '') return []
  const isInDocument = typeof at[member] === 'string'
  return [{ map, name: name.trim(), place: { at, member }, isInDocument }]
}

function nameOf(map: TranslationMap, name: unknown): readonly TranslatableText[] {
  if (typeof name !== 'string' || name.trim() === '') return []
  return [{ map, name: name.trim(), place: undefined, isInDocument: true }]
}
