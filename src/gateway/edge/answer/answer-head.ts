import type { Call } from '../call.ts'
import { connectionNames, withoutNamed } from '../connection-names.ts'
import { createSpellings } from '../spellings.ts'
import { addOwnHeaders } from './own-headers.ts'

// Fields of the backend's connection, its product names, and fields that only the gateway sets, including
// `Access-Control-*`, which decides to which pages a browser shows the response.
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'server',
  'x-powered-by',
  'x-content-type-options',
  'via',
  'gateway-identity',
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'deprecation',
  'sunset',
])

/** Fields the gateway itself reads. */
type FieldRole = 'connection' | 'contentLength' | 'transferEncoding' | 'requestId'

const roles: ReadonlyMap<string, FieldRole> = new Map([
  ['connection', 'connection'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['x-request-id', 'requestId'],
])

/** How the gateway treats a response field, by its name alone. */
const responseField = createSpellings((folded) => ({
  /** Never reaches the client. */
  isDropped: dropped.has(folded) || folded.startsWith('access-control-'),
  role: roles.get(folded),
}))

/** The header block of a response. */
export interface AnswerHead {
  /** Alternating names and values. */
  readonly fields: string[]
  /** Octets of the body by `Content-Length`; NaN if not declared. */
  readonly length: number
  /**
   * Whether the body has no transfer coding except chunked, which the parser
   * has removed. Any other coding would be lost with its field.
   */
  readonly isPlain: boolean
  /** The backend's X-Request-ID, several joined; undefined if the field is missing. */
  readonly requestId: string | undefined
}

/**
 * The header block of the response to the client: the backend's fields without
 * those of its connection, then the gateway's.
 *
 * @param raw the backend's fields, alternating names and values
 */
export function answerHead(status: number, raw: readonly string[], call: Call): AnswerHead {
  const kept: string[] = []
  let connection: string | undefined
  let lengthAt = -1
  let isPlain = true
  let requestId: string | undefined
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const value = raw[at + 1] ?? ''
    const { isDropped, role } = responseField(name)
    switch (role) {
      case 'connection':
        connection = joined(connection, value)
        break
      case 'contentLength':
        lengthAt = at
        continue
      case 'transferEncoding':
        if (value.toLowerCase() !== 'chunked') isPlain = false
        break
      case 'requestId':
        requestId = joined(requestId, value)
        break
      default:
    }
    if (isDropped) continue
    kept.push(name, value)
  }
  // Goes last: if Node knows the length first, it re-encodes a Content-Disposition field. RFC 9110, 8.6: a 204 has no
  // Content-Length, not even 0.
  if (lengthAt >= 0 && status !== 204) kept.push(raw[lengthAt] ?? '', raw[lengthAt + 1] ?? '')
  const length = lengthAt < 0 ? Number.NaN : Number(raw[lengthAt + 1])
  const named = connectionNames(connection)
  const fields = named === undefined ? kept : withoutNamed(kept, named)
  if (requestId === undefined) fields.push('X-Request-ID', call.requestId)
  fields.push('X-Content-Type-Options', 'nosniff')
  addOwnHeaders(fields, call)
  return { fields, length, isPlain, requestId }
}

/** The values of a field that occurs more than once (RFC 9110, 5.3). */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}
