import type { Method } from '../../../catalogue/catalogue.ts'
import type { OctetWriter } from '../../../platform/http/octet-writer.ts'
import type { ConnectionUse, UpstreamRequest } from '../../upstream/connection.ts'
import type { GrantedCall, RoutedCall } from '../call.ts'
import { forwardedFields } from '../connection-names.ts'
import { octetsOf } from '../request/body-pieces.ts'
import { traceparentOf } from '../request/trace.ts'
import { via } from '../via.ts'
import type { PassesField } from './passing-fields.ts'

/** Name of the header that carries the signed identity to the backend. */
export const identityHeader = 'Gateway-Identity'

/** What the heads of all requests to one backend have in common. */
export interface RequestHeadParts {
  /** From the end of the target to the fields of the client. */
  readonly opening: string
  /** Host under which clients reach the gateway; undefined: not configured, and the client's own counts. */
  readonly publicHost: string | undefined
}

/** @param host of the backend */
export function requestHeadParts(host: string, publicHost: string | undefined): RequestHeadParts {
  return { opening: ` HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`, publicHost }
}

const closing = `Via: ${via}\r\n\r\n`

export interface ForwardedCallOptions {
  readonly call: GrantedCall
  readonly head: RequestHeadParts
  /** Path of the backend, in place of the prefix of the version. */
  readonly basePath: string
  /** The signed identity token. */
  readonly identity: string
  /** Which client fields may reach the backend. */
  readonly passes: PassesField
  readonly use: ConnectionUse
}

/** A call as a request to the backend. */
export class ForwardedCall implements UpstreamRequest {
  readonly body: readonly Buffer[] | undefined
  readonly isSafe: boolean
  readonly use: ConnectionUse
  readonly #options: ForwardedCallOptions

  constructor(options: ForwardedCallOptions) {
    this.body = options.call.body
    this.isSafe = options.call.operation.method === 'GET'
    this.use = options.use
    this.#options = options
  }

  /**
   * Writes the head of the request (RFC 9112, 3 and 5): the client's allowed
   * fields in their order and spelling, then the gateway's. Fields of the
   * connection, including those its `Connection` names, and fields only the
   * gateway may set are left out.
   *
   * It does not check for line ends: names and values come from a parser that
   * rejects every control character, and the rest is canonical or the gateway's
   * own.
   */
  writeHead(into: OctetWriter): void {
    const { call, basePath, identity, passes } = this.#options
    const { fields, operation, body, trace, requestId, address, scheme } = call
    const { opening, publicHost } = this.#options.head
    into.text(operation.method)
    into.text(' ')
    into.text(upstreamPath(call, basePath))
    into.text(opening)
    const forwarded = forwardedFields(fields)
    for (let at = 0; at < forwarded.length; at += 2) {
      const name = forwarded[at] ?? ''
      if (passes(name)) into.field(name, forwarded[at + 1] ?? '')
    }
    if (fields.requestId === undefined) into.field('X-Request-ID', requestId)
    // A chunked body is complete here, so its length is known. RFC 9110, 8.6: a method that may have a body needs
    // `Content-Length: 0`.
    if (fields.contentLength === undefined && (body !== undefined || mayHaveBody(operation.method)))
      into.field('Content-Length', String(octetsOf(body)))
    into.field('traceparent', traceparentOf(trace))
    if (trace.state !== undefined) into.field('tracestate', trace.state)
    into.field(identityHeader, identity)
    into.field('X-Forwarded-For', address)
    into.field('X-Forwarded-Proto', scheme)
    into.field('X-Forwarded-Host', publicHost ?? fields.host ?? '')
    into.text(closing)
  }
}

function mayHaveBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE'
}

/**
 * The path for the backend: below its own base path instead of the prefix. It
 * is the path that was routed, in the one spelling that all decoders read alike.
 */
export function upstreamPath(call: RoutedCall, basePath: string): string {
  return basePath + call.path.slice(call.version.prefix.length) + call.query
}
