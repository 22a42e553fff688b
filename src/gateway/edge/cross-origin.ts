import type { ApiVersion, Operation } from '../../catalogue/catalogue.ts'
import { operationObject } from '../../catalogue/operation-object.ts'
import { membersOf } from '../../catalogue/reference.ts'
import { sameOrigins } from '../../platform/same-origins.ts'

/** Fields a browser hides from a page unless told otherwise, of those the gateway answers with itself. */
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
 * Recognises the portal's own page by the `Origin` of a call; on loopback by
 * any of its names.
 *
 * @returns the origin to answer to; undefined: no browser, or the page of somebody else
 */
export function createPortalOrigin(
  portalUrl: () => string,
): (origin: string | undefined) => string | undefined {
  let url = ''
  let origins: ReadonlySet<string> = new Set()
  return (origin) => {
    if (origin === undefined) return undefined
    const current = portalUrl()
    if (current !== url) {
      origins = sameOrigins(current)
      url = current
    }
    return origins.has(origin) ? origin : undefined
  }
}

/**
 * Header fields by which a browser lets the portal's page have an answer
 * (Fetch, 3.3.3), name and value alternating. No credentials: a key is sent by
 * the page itself, never by the browser.
 */
export function allowedTo(portalOrigin: string): string[] {
  return ['Access-Control-Allow-Origin', portalOrigin, 'Vary', 'Origin']
}

/** The same, and the page may read the fields the gateway answers with, whatever becomes of the call. */
export function readableBy(portalOrigin: string): string[] {
  return [...allowedTo(portalOrigin), 'Access-Control-Expose-Headers', exposedOwnFields]
}

/** RFC 9110, 5.6.2. A document may have anything for a name, and what is written here is not looked through again. */
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

const exposed = new WeakMap<Operation, readonly string[]>()

/** What the answers of an operation declare beyond the gateway's fields, as one more header field; empty when that is nothing. */
export function exposedHeaders(version: ApiVersion, operation: Operation): readonly string[] {
  const known = exposed.get(operation)
  if (known !== undefined) return known
  const { document } = version
  const published = operationObject(document, operation.template, operation.method)
  const names = new Set(
    published?.responses.flatMap(([, response]) =>
      membersOf(document, response, 'headers').map(([name]) => name),
    ),
  )
  const further = [...names].filter(
    (name) => token.test(name) && !foldedOwnFields.has(name.toLowerCase()),
  )
  const fields = further.length === 0 ? [] : ['Access-Control-Expose-Headers', further.join(', ')]
  exposed.set(operation, fields)
  return fields
}
