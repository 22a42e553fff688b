import type { Method } from '../../catalogue/catalogue.ts'
import type { Call } from './call.ts'
import { via } from './via.ts'

/** Name of the header that carries the signed identity to the backend. */
export const identityHeader = 'Gateway-Identity'

export interface RequestHeadOptions {
  /** With its query. */
  readonly path: string
  /** Of the backend. */
  readonly host: string
  /** The signed identity token. */
  readonly identity: string
}

/**
 * The head of the request to the backend (RFC 9112, 3 and 5): the client's
 * fields in their order and spelling, without those of the connection (also
 * those its `Connection` names) and those only the gateway may set; then ours.
 *
 * Nothing is looked through for line ends here: names and values are as Node's
 * parser gave them, which refuses every control character in them, and all else
 * is canonical or our own.
 */
export function requestHead(call: Call, { path, host, identity }: RequestHeadOptions): string {
  const { fields, operation, hasBody } = call
  const named = connectionNames(fields.connection)
  const forwarded = named === undefined ? fields.forwarded : withoutNamed(fields.forwarded, named)
  let head = `${operation.method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`
  for (let at = 0; at < forwarded.length; at += 2) {
    head += `${forwarded[at]}: ${forwarded[at + 1]}\r\n`
  }
  if (hasBody && fields.transferEncoding !== undefined) head += 'Transfer-Encoding: chunked\r\n'
  // RFC 9110, 8.6: where a body would mean something, its absence is said.
  if (!hasBody && fields.contentLength === undefined && mayHaveBody(operation.method)) {
    head += 'Content-Length: 0\r\n'
  }
  return `${head}${identityHeader}: ${identity}\r\nX-Forwarded-For: ${call.address}\r\nX-Forwarded-Proto: ${call.scheme}\r\nX-Forwarded-Host: ${fields.host ?? ''}\r\nVia: ${via}\r\n\r\n`
}

function mayHaveBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE'
}

/** A header block, name and value alternating, without the fields of these folded names. */
export function withoutNamed(block: readonly string[], named: ReadonlySet<string>): string[] {
  return block.filter((_, at) => !named.has((block[at - (at % 2)] ?? '').toLowerCase()))
}

/**
 * Names listed in `Connection`, folded. Content-Length stays whatever is
 * listed: the framing towards the backend is ours to decide.
 */
export function connectionNames(field: string | undefined): ReadonlySet<string> | undefined {
  if (field === undefined || field === 'keep-alive' || field === 'close') return undefined
  const names = new Set(field.split(',').map((name) => name.trim().toLowerCase()))
  names.delete('content-length')
  return names
}
