import { type FieldName, fieldName } from './field-names.ts'

/**
 * The header block of a request, read once, in its original form. Node's parsed
 * view drops or joins duplicate fields and costs more to build than everything
 * here. Absent fields are undefined; duplicate ones are joined with ", " (RFC
 * 9110, 5.3). Nothing is judged here; that is the check `headers`.
 */
export interface RequestFields {
  /** Number of header fields. */
  readonly count: number
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly requestId: string | undefined
  readonly connection: string | undefined
  readonly contentLength: string | undefined
  readonly transferEncoding: string | undefined
  readonly expect: string | undefined
  readonly requestedMethod: string | undefined
  readonly drill: string | undefined
  /** RFC 9440. */
  readonly clientCert: string | undefined
  readonly clientCertChain: string | undefined
  /** W3C Trace Context. */
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
  /** The API key; `doubled` for more than one key field; undefined for an empty one. */
  readonly key: PresentedKey
  /** The fields that are not plain, in order. */
  readonly special: readonly SpecialField[]
  /** What may reach the backend, alternating names and values, before the names in `Connection` are removed. */
  readonly forwarded: readonly string[]
}

/** The contents of the request's API key fields. */
export type PresentedKey = { readonly value: string } | 'doubled' | undefined

/** A field that means something to the gateway, or could mislead a reader. */
export interface SpecialField {
  readonly name: FieldName
  readonly value: string
}

/** Reads a header block of alternating names and values. */
export function readFields(raw: readonly string[]): RequestFields {
  const special: SpecialField[] = []
  const forwarded: string[] = []
  const fields: Mutable = { ...absent, count: raw.length / 2, special, forwarded }
  let hasKey = false
  for (let at = 0; at < raw.length; at += 2) {
    const spelled = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    const name = fieldName(spelled)
    if (!name.isDropped) forwarded.push(spelled, value)
    if (name.isPlain) continue
    special.push({ name, value })
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
  return fields
}

type Mutable = { -readonly [Member in keyof RequestFields]: RequestFields[Member] }

const absent = {
  host: undefined,
  origin: undefined,
  requestId: undefined,
  connection: undefined,
  contentLength: undefined,
  transferEncoding: undefined,
  expect: undefined,
  requestedMethod: undefined,
  drill: undefined,
  clientCert: undefined,
  clientCertChain: undefined,
  traceparent: undefined,
  tracestate: undefined,
  key: undefined,
}
