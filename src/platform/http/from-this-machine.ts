import type { IncomingMessage } from 'node:http'
import { plainAddress } from './client-address.ts'
import { isLoopback } from './loopback.ts'

/** Fields in which proxies name their client: RFC 7239, RFC 9110 7.6.3, and common names of their own. */
const forwarding = /forwarded|^via$|-ip$|^x-(?:original|envoy)-/

/**
 * Whether a client on this machine asks, without a proxy, and by a name or
 * address of this machine. A proxy on this machine has a loopback address too, but its header fields or
 * HTTP/1.0, the default of proxies, reveal it. The name in Host defeats DNS
 * rebinding: another site can point its own name here, but the browser still
 * sends that name.
 */
export function isFromThisMachine({
  socket,
  headers,
  headersDistinct,
  httpVersion,
}: IncomingMessage): boolean {
  const [host = '', ...others] = headersDistinct['host'] ?? []
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host)?.[1] ?? ''
  return (
    isLoopback(plainAddress(socket.remoteAddress ?? '')) &&
    isLoopback(name) &&
    others.length === 0 &&
    httpVersion === '1.1' &&
    !Object.keys(headers).some((field) => forwarding.test(field))
  )
}
