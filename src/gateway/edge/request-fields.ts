import type { Refusal } from '../../platform/problem.ts'
import { type FieldName, fieldName } from './field-names.ts'
import { via } from './via.ts'

/** Header fields a request may have. */
const headerCountMax = 100

/**
 * The header block of a request, read once, as it came: Node drops or joins
 * doubled fields in its parsed view, and building that view costs more than
 * everything read here. Absent fields are undefined, doubled ones joined with
 * ", " (RFC 9110, 5.3).
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
  /** The API key; `doubled` when there is more than one field for it; an empty one is none. */
  readonly key: PresentedKey
  /** The first thing that makes the block ambiguous or asks for what the gateway does not do. */
  readonly refusal: Refusal | undefined
  /** What may reach the backend, name and value alternating; without regard to what `Connection` names. */
  readonly forwarded: readonly string[]
}

/** What a request has in the fields for the API key. */
export type PresentedKey = { readonly value: string } | 'doubled' | undefined

const hostPattern = /^(?:[A-Za-z0-9\-._~]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
// RFC 9110, 8.3.1. Anything looser is read differently by different parsers.
const mediaTypePattern =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[^"\\]*"))*$/

const tooMany: Refusal = {
  code: 'HEADERS_TOO_LARGE',
  detail: `The request has more than ${headerCountMax} header fields.`,
}
const hostInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'The Host header must be one name or address with an optional port.',
}
// Many servers turn "-" into "_", so an underscore can dress up as a header that we set.
const underscored: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'Header names must not contain underscores.',
}
const mediaTypeInvalid: Refusal = {
  code: 'HEADERS_INVALID',
  detail: 'The Content-Type header is not a media type.',
}

/** Reads a header block, name and value alternating. */
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
    return { code: 'HEADERS_INVALID', detail: `The header ${name.folded} must be sent once.` }
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
