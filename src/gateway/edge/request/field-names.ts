import { drillHeader } from '../../../platform/http/drills.ts'
import { isDropped, keyFields } from '../../../platform/http/own-fields.ts'
import { createSpellings } from '../spellings.ts'

/** How the gateway treats a request field, by its name alone. */
export interface FieldName {
  readonly folded: string
  /** The field needs no treatment, except perhaps `isDropped`. */
  readonly isPlain: boolean
  readonly hasUnderscore: boolean
  /** A separate bit if two copies could make two readers see different requests; otherwise 0. */
  readonly singleton: number
  /** Carries the API key. */
  readonly isKey: boolean
  /** Where the gateway stores its value. */
  readonly role: FieldRole | undefined
  /** Never reaches the backend. */
  readonly isDropped: boolean
}

/** Fields the gateway itself reads. */
export type FieldRole =
  | 'host'
  | 'origin'
  | 'requestId'
  | 'connection'
  | 'contentLength'
  | 'transferEncoding'
  | 'expect'
  | 'requestedMethod'
  | 'drill'
  | 'clientCert'
  | 'clientCertChain'
  | 'traceparent'
  | 'tracestate'

const roles: ReadonlyMap<string, FieldRole> = new Map([
  ['host', 'host'],
  ['origin', 'origin'],
  ['x-request-id', 'requestId'],
  ['connection', 'connection'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['expect', 'expect'],
  ['access-control-request-method', 'requestedMethod'],
  [drillHeader.toLowerCase(), 'drill'],
  ['client-cert', 'clientCert'],
  ['client-cert-chain', 'clientCertChain'],
  ['traceparent', 'traceparent'],
  ['tracestate', 'tracestate'],
])

const singletons = [
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'authorization',
  'expect',
  'x-request-id',
  'consent-id',
  'psu-id',
  'digest',
  'signature',
  'tpp-signature-certificate',
  'client-cert',
  drillHeader.toLowerCase(),
]

/** Refused for some values, or always. */
const judged: ReadonlySet<string> = new Set(['upgrade', 'via'])

/** Classifies the name of a header field, in any spelling. */
export const fieldName = createSpellings(readName)

function readName(folded: string): FieldName {
  const place = singletons.indexOf(folded)
  const name = {
    folded,
    hasUnderscore: folded.includes('_'),
    singleton: place === -1 ? 0 : 1 << place,
    isKey: keyFields.has(folded),
    role: roles.get(folded),
    isDropped: isDropped(folded),
  }
  const { hasUnderscore, singleton, isKey, role } = name
  const isSpecial = hasUnderscore || singleton !== 0 || isKey || role !== undefined
  return { ...name, isPlain: !isSpecial && !judged.has(folded) }
}
