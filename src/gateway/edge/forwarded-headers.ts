import type { Call } from './call.ts'

/** How the gateway names itself in `Via` (RFC 9110, 7.6.3), by which it knows calls that come back. */
export const via = '1.1 tollgate'

/** Name of the header that carries the signed identity to the backend. */
export const identityHeader = 'Gateway-Identity'

// Fields of one connection (RFC 9110, 7.6.1) and those the gateway or undici sets itself.
const ownedByConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
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
// Fields by which somebody outside could speak for the edge: keys, identities, addresses, other methods or paths.
const ownedByGateway = [
  'x-api-key',
  'x-ibm-client-id',
  'gateway-identity',
  'x-internal-identity',
  'client-id',
  'tpp-roles',
  'tpp-qwac-thumbprint',
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
]
const dropped: ReadonlySet<string> = new Set([...ownedByConnection, ...ownedByGateway])

/**
 * The header block of the request to the backend, name and value alternating:
 * the client's fields in their order and spelling, without those of the
 * connection (also those its `Connection` names) and those only the gateway
 * may set; then ours.
 *
 * @param identity the signed identity token
 */
export function requestHeaders(call: Call, identity: string): string[] {
  const { request } = call
  const raw = request.rawHeaders
  const named = connectionNames(request.headers.connection)
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const folded = name.toLowerCase()
    if (dropped.has(folded) || named?.has(folded)) continue
    if (folded.startsWith('x-forwarded-')) continue
    kept.push(name, raw[at + 1] ?? '')
  }
  kept.push(
    identityHeader,
    identity,
    'X-Forwarded-For',
    call.address,
    'X-Forwarded-Proto',
    call.scheme,
    'X-Forwarded-Host',
    request.headers.host ?? '',
    'Via',
    via,
  )
  return kept
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
