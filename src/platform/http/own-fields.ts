import { drillHeader } from './drills.ts'

/** The fields that carry an API key. All names here are in lower case. */
export const keyFields: ReadonlySet<string> = new Set(['x-api-key', 'x-ibm-client-id'])

/** Tracing fields, which the gateway continues: the backend gets the gateway's own. */
export const continuedFields: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])

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
]
const dropped: ReadonlySet<string> = new Set([
  ...ownedByConnection,
  ...ownedByGateway,
  ...keyFields,
  ...continuedFields,
])

/**
 * Whether the gateway leaves a client's field with this name out of the call that
 * it forwards: it may set its own instead. For the data path.
 */
export function isDropped(name: string): boolean {
  return dropped.has(name) || name.startsWith('x-forwarded-')
}

/**
 * Whether an API cannot ask clients for a field with this name, because no backend
 * gets it: the gateway leaves it out or rejects the call. A tracing field does reach
 * the backend, as the gateway continues it. For what documents declare.
 */
export function neverPasses(name: string): boolean {
  // The gateway refuses names with an underscore.
  return name.includes('_') || (isDropped(name) && !continuedFields.has(name))
}
