import type { OpenApiDocument } from '../../catalogue/catalogue.ts'
import {
  operationObject,
  type Parameter,
  parameterPlaces,
} from '../../catalogue/documents/operation-object.ts'
import type { Words } from '../../messages/format.ts'
import { isLeftInEnglish } from '../../messages/language.ts'
import type { PublishedOperation } from '../api/schemas/catalogue.ts'
import { markdownHtml } from '../guides/render-markdown.ts'
import { documentHtml, escapeHtml } from './escape-html.ts'
import { operationFragment } from './page-paths.ts'

export interface OperationOutlineOptions {
  readonly operation: PublishedOperation
  /** Its path without the prefix of the version. */
  readonly template: string
  /** Document of the version, in the language of {@link words}. */
  readonly document: OpenApiDocument
  readonly words: Words
}

/**
 * What an operation does and takes, as HTML, by the id that the address of its
 * page names. Its headers that may be left out are only counted.
 */
export function operationOutline(options: OperationOutlineOptions): string {
  const { operation, template, document, words } = options
  const { id, tag, method, path, summary } = operation
  const { object, parameters = [] } = operationObject(document, template, method) ?? {}
  const places = parameterPlaces.map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const shown = place === 'header' ? own.filter(({ isRequired }) => isRequired) : own
    const left = own.length - shown.length
    if (own.length === 0) return ''
    const items = [
      ...shown.map((parameter) => parameterItem(parameter, words)),
      ...(left === 0 ? [] : [words.t('reference.optionalHeaders', { count: left })]),
    ]
    return `<h3>${words.t(`reference.place.${place}`)}</h3><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
  })
  return `<article class="sk-op" id="${escapeHtml(operationFragment(tag, id).slice(1))}"><h2>${documentHtml(summary, words.language)}</h2><p><b>${method}</b> <code dir="ltr">${escapeHtml(path)}</code></p>${textHtml(object?.value['description'], words)}${places.join('')}</article>`
}

function parameterItem({ name, isRequired, object }: Parameter, words: Words): string {
  const required = isRequired ? ` ${words.t('reference.required')}` : ''
  return `<code dir="ltr">${escapeHtml(name)}</code>${required}${textHtml(object.value['description'], words)}`
}

/** A text of the document in Markdown. */
function textHtml(text: unknown, { language }: Words): string {
  if (typeof text !== 'string') return ''
  const marks = isLeftInEnglish(text, language) ? ' lang="en" dir="ltr"' : ''
  return `<div${marks}>${markdownHtml(text)}</div>`
}
