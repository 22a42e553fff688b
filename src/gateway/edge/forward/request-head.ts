import type { Method } from '../../../catalogue/catalogue.ts'
import type { OctetWriter } from '../../../platform/http/octet-writer.ts'
import type { GrantedCall } from '../call.ts'
import { forwardedFields } from '../connection-names.ts'
import { octetsOf } from '../request/body-pieces.ts'
import { traceparentOf } from '../request/trace.ts'
import { via } from '../via.ts'
import type { PassesField } from './passing-fields.ts'

/** Name of the header that carries the signed identity to the backend. */
export const identityHeader = 'Gateway-Identity'

export interface RequestHeadOptions {
  /** The path with its query. */
  readonly path: string
  /** Host of the backend. */
  readonly host: string
  /** Host under which clients reach the gateway; undefined: not configured, and the client's own counts. */
  readonly publicHost: string | undefined
  /** The signed identity token. */
  readonly identity: string
  /** Which client fields may reach the backend. */
  readonly passes: PassesField
}

/**
 * Writes the head of the request to the backend (RFC 9112, 3 and 5): the
 * client's allowed fields in their order and spelling, then the gateway's.
 * Fields of the connection, including those its `Connection` names, and fields
 * only the gateway may set are left out.
 *
 * It does not check for line ends: names and values come from Node's parser,
 * which rejects every control character, and the rest is canonical or the
 * gateway's own.
 */
export function writeRequestHead(
  into: OctetWriter,
  call: GrantedCall,
  { path, host, publicHost, identity, passes }: RequestHeadOptions,
): void {
  const { fields, operation, body, trace } = call
  into.text(operation.method)
  into.text(' ')
  into.text(path)
  into.text(' HTTP/1.1\r\n')
  into.field('Host', host)
  into.field('Connection', 'keep-alive')
  const forwarded = forwardedFields(fields)
  for (let at = 0; at < forwarded.length; at += 2) {
    const name = forwarded[at] ?? ''
    if (passes(name)) into.field(name, forwarded[at + 1] ?? '')
  }
  if (fields.requestId === undefined) into.field('X-Request-ID', call.requestId)
  // A chunked body is complete here, so its length is known. RFC 9110, 8.6: a method that may have a body needs
  // `Content-Length: 0`.
  if (fields.contentLength === undefined && (body !== undefined || mayHaveBody(operation.method))) {
    into.field('Content-Length', String(octetsOf(body)))
  }
  into.field('traceparent', traceparentOf(trace))
  if (trace.state !== undefined) into.field('tracestate', trace.state)
  into.field(identityHeader, identity)
  into.field('X-Forwarded-For', call.address)
  into.field('X-Forwarded-Proto', call.scheme)
  into.field('X-Forwarded-Host', publicHost ?? fields.host ?? '')
  into.field('Via', via)
  into.text('\r\n')
}

function mayHaveBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE'
}
