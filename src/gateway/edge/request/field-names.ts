import { drillHeader } from '../../../platform/http/drills.ts'
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

const keys: ReadonlySet<string> = new Set(['x-api-key', 'x-ibm-client-id'])

/** Refused for some values, or always. */
const judged: ReadonlySet<string> = new Set(['upgrade', 'via'])

// Fields of one connection (RFC 9110, 7.6.1) and those the gateway sets itself.
const ownedByConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
  // CVE-2016-5385: programs that read fields as environment variables.
  'proxy',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'host',
]
// Fields with which an outside client could impersonate the edge: keys, identities, addresses, other methods or
// paths.
const ownedByGateway = [
  'x-api-key',
  'x-ibm-client-id',
  'gateway-identity',
  'x-internal-identity',
  'client-id',
  'tpp-roles',
  'tpp-qwac-thumbprint',
  'client-cert',
  'client-cert-chain',
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  drillHeader.toLowerCase(),
  // Continued: the backend gets the gateway's own.
  'traceparent',
  'tracestate',
]
const dropped: ReadonlySet<string> = new Set([...ownedByConnection, ...ownedByGateway])

/** Classifies the name of a header field, in any spelling. */
export const fieldName = createSpellings(readName)

function readName(folded: string): FieldName {
  const place = singletons.indexOf(folded)
  const name = {
    folded,
    hasUnderscore: folded.includes('_'),
    singleton: place === -1 ? 0 : 1 << place,
    isKey: keys.has(folded),
    role: roles.get(folded),
    isDropped: dropped.has(folded) || folded.startsWith('x-forwarded-'),
  }
  const { hasUnderscore, singleton, isKey, role } = name
  const isSpecial = hasUnderscore || singleton !== 0 || isKey || role !== undefined
  return { ...name, isPlain: !isSpecial && !judged.has(folded) }
}
