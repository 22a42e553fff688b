import type { Refusal } from '../../../platform/problem.ts'
import { type FieldName, fieldName } from './field-names.ts'
import { via } from '../via.ts'

/** Maximum number of header fields in a request. */
const headerCountMax = 100

/**
 * The header block of a request, read once, in its original form. Node's parsed
 * view drops or joins duplicate fields and costs more to build than everything
 * here. Absent fields are undefined; duplicate ones are joined with ", " (RFC
 * 9110, 5.3).
 */
export interface RequestFields {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly requestId: string | undefined
  readonly connection: string | undefined
  readonly contentLength: string | undefined
  readonly transferEncoding: string | undefined
  readonly expect: string | undefined
  readonly requestedMethod: string | undefined
  /** The API key; `doubled` for more than one key field; undefined for an empty one. */
  readonly key: PresentedKey
  /** The first reason to refuse the block: it is ambiguous or asks for something the gateway does not support. */
  readonly refusal: Refusal | undefined
  /** What may reach the backend, names and values in turn, before the names in `Connection` are removed. */
  readonly forwarded: readonly string[]
}

/** The contents of the request's API key fields. */
export type PresentedKey = { readonly value: string } | 'doubled' | undefined

const hostPattern = /^(?:[A-Za-z0-9\-._~]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
// RFC 9110, 8.3.1. Parsers disagree on anything looser.
const mediaTypePattern =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[^"\\]*"))*$/

const tooMany: Refusal = {
  code: 'HEADERS_TOO_LARGE',
  detail: `The request has more than ${headerCountMax} header fields.`,
}
const hostInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'Send one Host header: a name or address, with an optional port.',
}
// Many servers turn "-" into "_", so a name with an underscore can imitate a field that the gateway sets.
const underscored: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'Header names must not contain underscores.',
}
const mediaTypeInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'The Content-Type header is not a media type.',
}

/** Reads a header block of names and values in turn. */
export function readFields(raw: readonly string[]): RequestFields {
  const fields: Mutable = {
    ...absent,
    forwarded: [],
    refusal: raw.length > 2 * headerCountMax ? tooMany : undefined,
  }
  let seen = 0
  let hasKey = false
  for (let at = 0; at < raw.length; at += 2) {
    const spelled = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    const name = fieldName(spelled)
    if (!name.isDropped) fields.forwarded.push(spelled, value)
    if (name.isPlain) continue
    fields.refusal ??= refuseField(name, value, seen)
    seen |= name.singleton
    if (name.isKey) {
      if (hasKey) fields.key = 'doubled'
      else if (value !== '') fields.key = { value }
      hasKey = true
    }
    if (name.role !== undefined) {
      const before = fields[name.role]
      fields[name.role] = before === undefined ? value : `${before}, ${value}`
    }
  }
  if (fields.host === undefined) fields.refusal ??= hostInvalid
  return fields
}

type Mutable = { -readonly [Member in keyof RequestFields]: RequestFields[Member] } & {
  forwarded: string[]
}

const absent = {
  host: undefined,
  origin: undefined,
  requestId: undefined,
  connection: undefined,
  contentLength: undefined,
  transferEncoding: undefined,
  expect: undefined,
  requestedMethod: undefined,
  key: undefined,
}

function refuseField(name: FieldName, value: string, seen: number): Refusal | undefined {
  if (name.hasUnderscore) return underscored
  if ((seen & name.singleton) !== 0) {
    return { code: 'HEADERS_INVALID', detail: `Send the header ${name.folded} only once.` }
  }
  switch (name.folded) {
    case 'host':
      return hostPattern.test(value) ? undefined : hostInvalid
    case 'upgrade':
      return { code: 'UPGRADE_REFUSED' }
    case 'content-type':
      return mediaTypePattern.test(value) ? undefined : mediaTypeInvalid
    case 'expect':
      return value.toLowerCase() === '100-continue' ? undefined : { code: 'EXPECTATION_FAILED' }
    case 'via':
      return value.toLowerCase().includes(via) ? { code: 'LOOP' } : undefined
    default:
      return undefined
  }
}
