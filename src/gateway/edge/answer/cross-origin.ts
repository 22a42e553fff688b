import type { ApiVersion, Operation } from '../../../catalogue/catalogue.ts'
import { token } from '../../../platform/http/header-values.ts'

/** The gateway's own response fields that a browser hides from a page by default. */
const ownFields = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-ID',
  'Location',
  'Deprecation',
  'Sunset',
  'Link',
  'Allow',
  'WWW-Authenticate',
]
const exposedOwnFields = ownFields.join(', ')
const foldedOwnFields: ReadonlySet<string> = new Set(ownFields.map((name) => name.toLowerCase()))

/**
 * Header fields with which a browser shows a response to the portal's page
 * (Fetch, 3.3.3), alternating names and values. Without credentials: the page sends
 * the key itself, never the browser.
 */
function allowedTo(portalOrigin: string): string[] {
  return ['Access-Control-Allow-Origin', portalOrigin, 'Vary', 'Origin']
}

/** The same, and the page may read the gateway's response fields, whatever the outcome of the call. */
export function readableBy(portalOrigin: string): string[] {
  return [...allowedTo(portalOrigin), 'Access-Control-Expose-Headers', exposedOwnFields]
}

const exposed = new WeakMap<Operation, readonly string[]>()

/**
 * A header field that exposes the response fields an operation declares beyond
 * the gateway's; empty if there are no such fields.
 */
export function exposedHeaders(operation: Operation): readonly string[] {
  const known = exposed.get(operation)
  if (known !== undefined) return known
  // A document may contain any text as a name; Node would refuse to write some.
  const further = operation.declared.responseHeaders.filter(
    (name) => token.test(name) && !foldedOwnFields.has(name.toLowerCase()),
  )
  const fields = further.length === 0 ? [] : ['Access-Control-Expose-Headers', further.join(', ')]
  exposed.set(operation, fields)
  return fields
}

/** Seconds for which a browser may cache the answer to a preflight. */
const maxAgeSeconds = '600'

const accepted = new WeakMap<Operation, string>()

/** What a preflight asks about. */
export interface Preflighted {
  readonly apiVersion: ApiVersion
  readonly operation: Operation
  /** Methods of the path. */
  readonly allow: readonly string[]
  /** Names of fields that a call may send and no document has. */
  readonly further: readonly string[]
}

/** Header fields of the answer to a preflight: which methods and fields the document publishes, whatever was asked for. */
export function preflightHeaders(
  portalOrigin: string,
  { apiVersion, operation, allow, further }: Preflighted,
): readonly string[] {
  return [
    ...allowedTo(portalOrigin),
    'Access-Control-Allow-Methods',
    allow.join(', '),
    'Access-Control-Allow-Headers',
    [acceptedHeaders(apiVersion, operation), ...further].join(', '),
    'Access-Control-Max-Age',
    maxAgeSeconds,
  ]
}

/** Names of the header fields that a call of the operation may send. */
function acceptedHeaders({ credentials }: ApiVersion, operation: Operation): string {
  const known = accepted.get(operation)
  if (known !== undefined) return known
  const own = [...operation.declared.headers, ...credentials.headers]
  const fields = new Set(['X-API-Key', 'Content-Type', ...own.filter((name) => token.test(name))])
  const names = [...fields].join(', ')
  accepted.set(operation, names)
  return names
}
