// This folder prepares and sends the calls that developers try from the page. Read this file first: a draft is a call
// without its key. `call-shape.ts` reads from the document how an operation is called, `send-call.ts` sends a draft to
// the gateway, `next-calls.ts` finds what a response leads to, and `json-text.ts` and `readable-body.ts` make bodies
// readable. It has no elements of the page: these are in `pages/applications/try/`.

import { parseJson } from '../parse-json.ts'
import {
  type CallParameter,
  type CallShape,
  isFromEarlierAnswer,
  requestIdHeader,
} from './call-shape.ts'
import { idName } from './id-name.ts'
import { linkedPath } from './linked-path.ts'

/** The header that carries the key. */
export const keyHeader = 'X-API-Key'

/** A call that the developer is about to make, without the key. */
export interface CallDraft {
  readonly shape: CallShape
  /** By {@link valueKey}; an empty text leaves the parameter out. */
  readonly values: Readonly<Record<string, string>>
  /** Empty for a call without a body. */
  readonly body: string
}

/** Ids from earlier responses, by {@link idName}. */
export type KnownIds = Readonly<Record<string, string>>

/** Key of a parameter's value in a draft; includes the place, because two places may use one name. */
export function valueKey({ place, name }: CallParameter): string {
  return `${place} ${name}`
}

/**
 * Creates a draft with all required values from the document's examples and a
 * fresh X-Request-ID. Fills in ids only from earlier responses: the ids of
 * examples do not exist.
 *
 * @param query values that a link sets, by name
 */
export function draftCall(
  shape: CallShape,
  known: KnownIds = {},
  query: Readonly<Record<string, string>> = {},
): CallDraft {
  const values: Record<string, string> = {}
  for (const parameter of shape.parameters) {
    const asked = parameter.place === 'query' ? query[parameter.name] : undefined
    if (asked === undefined && !parameter.isRequired) continue
    values[valueKey(parameter)] = asked ?? firstValue(parameter, known)
  }
  return { shape, values, body: shape.body?.examples[0]?.text ?? '' }
}

/** The same call under an identifier of its own: one identifier is one call. */
export function withNewRequestId(draft: CallDraft): CallDraft {
  const values = { ...draft.values, [`header ${requestIdHeader}`]: crypto.randomUUID() }
  return { ...draft, values }
}

function firstValue(parameter: CallParameter, known: KnownIds): string {
  if (parameter.name === requestIdHeader) return crypto.randomUUID()
  if (isFromEarlierAnswer(parameter)) return known[idName(parameter.name)] ?? ''
  return parameter.scheme === undefined ? parameter.example : ''
}

/**
 * Finds the ids in a JSON response: members such as `consentId`, and the values
 * of path parameters in links to these operations.
 */
export function idsIn(answer: string, operations: readonly { readonly path: string }[]): KnownIds {
  const ids: Record<string, string> = {}
  const note = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (/id$/i.test(name)) ids[idName(name)] = value
      else if (name === 'href') Object.assign(ids, linkedPath(value, operations)?.ids)
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // Skips lists: it is unknown which of their ids to use.
      for (const [member, inner] of Object.entries(value)) note(inner, member)
    }
  }
  note(parseJson(answer), '')
  return ids
}

/** The URL of the call with path and query filled in. A path parameter without a value keeps its placeholder. */
export function callUrl(gatewayUrl: string, { shape, values }: CallDraft): string {
  let path = shape.path
  const query = new URLSearchParams()
  for (const parameter of shape.parameters) {
    const value = values[valueKey(parameter)] ?? ''
    if (value === '') continue
    if (parameter.place === 'path') {
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(value))
    } else if (parameter.place === 'query') query.set(parameter.name, value)
  }
  const search = query.size === 0 ? '' : `?${query}`
  return `${gatewayUrl}${path}${search}`
}

/** The header fields of the call, in the order of the document; the key first, Content-Type last. */
export function callHeaders(
  { shape, values, body }: CallDraft,
  key: string,
): readonly (readonly [name: string, value: string])[] {
  const fields: [string, string][] = [[keyHeader, key]]
  for (const parameter of shape.parameters) {
    const value = values[valueKey(parameter)] ?? ''
    if (parameter.place === 'header' && value !== '') fields.push([parameter.name, value])
  }
  if (shape.body !== undefined && body !== '') fields.push(['Content-Type', shape.body.mediaType])
  return fields
}

/** Names of the required values that are still empty. */
export function missingValues({ shape, values }: CallDraft): readonly string[] {
  return shape.parameters
    .filter((parameter) => parameter.isRequired && (values[valueKey(parameter)] ?? '') === '')
    .map(({ name }) => name)
}
