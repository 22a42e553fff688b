import type { Json, JsonObject, OpenApiDocument } from '../../catalogue/catalogue.ts'
import {
  operationObject,
  type Parameter,
  parameterPlaces,
} from '../../catalogue/documents/operation-object.ts'
import { type Located, membersOf } from '../../catalogue/documents/reference.ts'
import type { Words } from '../../messages/format.ts'
import { isLeftInEnglish } from '../../messages/language.ts'
import type { PublishedOperation } from '../api/schemas/catalogue.ts'
import { ownSecurity } from '../documents/own-security.ts'
import { markdownHtml } from '../guides/render-markdown.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'
import { operationFragment } from './page-paths.ts'
import { membersOfSchema, typeOf } from './schema-outline.ts'

export interface OperationOutlineOptions {
  readonly operation: PublishedOperation
  /** Its path without the prefix of the version. */
  readonly template: string
  /** Document of the version, in the language of {@link words}. */
  readonly document: OpenApiDocument
  readonly words: Words
  /** Whether bodies have their members. */
  readonly hasMembers: boolean
}

/**
 * What an operation does, takes and answers, as HTML, by the id that the address of its
 * page names. Its headers that may be left out are only counted.
 */
export function operationOutline(options: OperationOutlineOptions): string {
  const { operation, template, document, words, hasMembers } = options
  const { id, tag, method, path, summary } = operation
  const described = operationObject(document, template, method)
  const { object, parameters = [], requestBody, responses = [] } = described ?? {}
  const places = parameterPlaces.map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const shown = place === 'header' ? own.filter(({ isRequired }) => isRequired) : own
    const left = own.length - shown.length
    if (own.length === 0) return ''
    const items = [
      ...shown.map((parameter) => parameterItem(document, parameter, words)),
      ...(left === 0 ? [] : [words.t('reference.optionalHeaders', { count: left })]),
    ]
    return sectionHtml(words.t(`reference.place.${place}`), items)
  })
  const membersOfBody = (parent: Located) =>
    hasMembers ? membersHtml(document, parent, words) : ''
  const body = requestBody && bodyHtml(document, requestBody) + membersOfBody(requestBody)
  const answers = responses.map(([status, response]) => {
    const description = textHtml(response.value['description'], words)
    // Errors are many, and much alike.
    const members = status.startsWith('2') ? membersOfBody(response) : ''
    return `<h3>${words.t('reference.responseOf', { status: escapeHtml(status) })}</h3>${description}${bodyHtml(document, response)}${members}`
  })
  const after = [
    securityHtml(document, object?.value ?? {}, words),
    ...places,
    body === undefined ? '' : `<h3>${words.t('reference.body')}</h3>${body}`,
    ...answers,
  ]
  return `<article class="sk-op" id="${escapeHtml(operationFragment(tag, id).slice(1))}"><h2>${documentHtml(summary, words.language)}</h2><p><b>${method}</b> <code dir="ltr">${escapeHtml(path)}</code></p>${textHtml(object?.value['description'], words)}${after.join('')}</article>`
}

function sectionHtml(title: string, items: readonly string[]): string {
  return `<h3>${title}</h3><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
}

/** What the API itself asks for, beside the gateway's key; empty if that is nothing. */
function securityHtml(document: JsonObject, operation: JsonObject, { t }: Words): string {
  const alternatives = ownSecurity(document, operation).map((credentials) =>
    credentials.map(({ name, scheme, scopes }) => {
      const named = `${codeHtml(name)} <bdi>${escapeHtml(scheme)}</bdi>`
      const listed = scopes.map(codeHtml).join(' ')
      return listed === '' ? named : `${named}, ${t('reference.scopes')} ${listed}`
    }),
  )
  if (alternatives.every(({ length }) => length === 0)) return ''
  const items = alternatives.map((each) => each.join('; ') || t('reference.keyAlone'))
  return sectionHtml(t('reference.security'), items)
}

function parameterItem(
  document: JsonObject,
  { name, isRequired, object: { value } }: Parameter,
  words: Words,
): string {
  const { schema, description } = value
  return `${namedHtml(document, name, schema, isRequired, words)}${textHtml(description, words)}`
}

/** The name of a value, its type, and whether it is required. */
function namedHtml(
  document: JsonObject,
  name: string,
  schema: Json | undefined,
  isRequired: boolean,
  { t }: Words,
): string {
  const required = isRequired ? ` ${t('reference.required')}` : ''
  return `${codeHtml(name)} ${typeHtml(document, schema)}${required}`
}

/** The media type of a body and its type; empty without a body. */
function bodyHtml(document: JsonObject, parent: Located): string {
  const [content] = membersOf(document, parent, 'content')
  if (content === undefined) return ''
  const [mediaType, { value }] = content
  return `<p>${codeHtml(mediaType)} ${typeHtml(document, value['schema'])}</p>`
}

/** The members of a body with their types; empty if it has none. */
function membersHtml(document: JsonObject, parent: Located, words: Words): string {
  const [content] = membersOf(document, parent, 'content')
  const { members, required } = membersOfSchema(document, content?.[1].value['schema'])
  const items = members.map(
    ([name, schema]) => `<li>${namedHtml(document, name, schema, required.has(name), words)}</li>`,
  )
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

function typeHtml(document: JsonObject, schema: Json | undefined): string {
  const type = typeOf(document, schema)
  return type === '' ? '' : `<span lang="en" dir="ltr">${escapeHtml(type)}</span>`
}

function codeHtml(text: string): string {
  return `<code dir="ltr">${escapeHtml(text)}</code>`
}

/** Renders a text of the document in Markdown as HTML, marked as English if it has no translation. */
export function textHtml(text: unknown, { language }: Words): string {
  if (typeof text !== 'string') return ''
  const marks = isLeftInEnglish(text, language) ? ' lang="en" dir="ltr"' : ''
  return `<div${marks}>${markdownHtml(text)}</div>`
}
