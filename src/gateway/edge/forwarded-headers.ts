import type { Call } from './call.ts'

/** How the gateway names itself in `Via` (RFC 9110, 7.6.3), by which it knows calls that come back. */
export const via = '1.1 tollgate'

/** Name of the header that carries the signed identity to the backend. */
export const identityHeader = 'Gateway-Identity'

/**
 * The header block of the request to the backend, name and value alternating:
 * the client's fields in their order and spelling, without those of the
 * connection (also those its `Connection` names) and those only the gateway
 * may set; then ours.
 *
 * @param identity the signed identity token
 */
export function requestHeaders({ fields, address, scheme }: Call, identity: string): string[] {
  const named = connectionNames(fields.connection)
  const { forwarded } = fields
  const headers = named === undefined ? forwarded.slice() : withoutNamed(forwarded, named)
  headers.push(
    identityHeader,
    identity,
    'X-Forwarded-For',
    address,
    'X-Forwarded-Proto',
    scheme,
    'X-Forwarded-Host',
    fields.host ?? '',
    'Via',
    via,
  )
  return headers
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
