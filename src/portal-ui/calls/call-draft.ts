import {
  type CallParameter,
  type CallShape,
  isFromEarlierAnswer,
  requestIdHeader,
} from './call-shape.ts'

/** The header that carries the key. */
export const keyHeader = 'X-API-Key'

/** A call somebody is about to make: everything but the key. */
export interface CallDraft {
  readonly shape: CallShape
  /** By {@link valueKey}; an empty text leaves the parameter out. */
  readonly values: Readonly<Record<string, string>>
  /** Empty when there is none. */
  readonly body: string
}

/** Ids that earlier answers told, by {@link idName}. */
export type KnownIds = Readonly<Record<string, string>>

/** Names a parameter's value in a draft: two places may use the same name. */
export function valueKey({ place, name }: CallParameter): string {
  return `${place} ${name}`
}

/**
 * A draft with all that is required filled in from the document's examples, a
 * fresh X-Request-ID, and ids only where an earlier answer told them: an
 * example's id belongs to nobody.
 */
export function draftCall(shape: CallShape, known: KnownIds = {}): CallDraft {
  const values: Record<string, string> = {}
  for (const parameter of shape.parameters) {
    if (!parameter.isRequired) continue
    values[valueKey(parameter)] = firstValue(parameter, known)
  }
  return { shape, values, body: shape.body?.examples[0]?.text ?? '' }
}

function firstValue(parameter: CallParameter, known: KnownIds): string {
  if (parameter.name === requestIdHeader) return crypto.randomUUID()
  if (isFromEarlierAnswer(parameter)) return known[idName(parameter.name)] ?? ''
  return parameter.example
}

/** `Consent-ID` and `consentId` are the same id. */
export function idName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

/**
 * Ids a JSON answer tells: members such as `consentId`, and the values of path
 * parameters in links to operations with one of these paths. Empty when there
 * are none.
 */
export function idsIn(answer: string, paths: readonly string[]): KnownIds {
  const ids: Record<string, string> = {}
  const note = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (/id$/i.test(name)) ids[idName(name)] = value
      else if (name === 'href') Object.assign(ids, idsInLink(value, paths))
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      // Not into lists: nobody knows which of their ids is meant.
      for (const [member, inner] of Object.entries(value)) note(inner, member)
    }
  }
  note(parsed(answer), '')
  return ids
}

function idsInLink(link: string, paths: readonly string[]): KnownIds {
  const parts = link.split('/')
  for (const path of paths) {
    const template = path.split('/')
    const isMatch =
      template.length === parts.length &&
      template.every((part, at) => part.startsWith('{') || part === parts[at])
    if (!isMatch) continue
    const found = template.flatMap((part, at) =>
      part.startsWith('{') ? [[idName(part), parts[at] ?? '']] : [],
    )
    return Object.fromEntries(found)
  }
  return {}
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where the call goes, path and query filled in; a part of the path without a value stays as published. */
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

/** Names of what still has to be filled in before the call can be made. */
export function missingValues({ shape, values }: CallDraft): readonly string[] {
  return shape.parameters
    .filter((parameter) => parameter.isRequired && (values[valueKey(parameter)] ?? '') === '')
    .map(({ name }) => name)
}
