import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { isEncrypted } from './http-server.ts'

/** Returns the address of the client that made a request. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Trusts `X-Forwarded-For` only as far as configured proxies wrote its entries:
 * the client is the rightmost entry that is not a configured proxy, starting
 * from the peer of the connection.
 */
export function createClientAddress(isProxy: (address: string) => boolean): ClientAddress {
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    if (!isProxy(address)) return address
    const forwarded = valuesOf(request, 'x-forwarded-for')
    if (forwarded.length === 0) return address
    const entries = forwarded.join(',').split(',')
    while (isProxy(address)) {
      const entry = plainAddress(entries.pop()?.trim() ?? '')
      if (isIP(entry) === 0) return address
      address = entry
    }
    return address
  }
}

/** Returns how the client reached the edge. */
export type ClientScheme = (request: IncomingMessage) => 'http' | 'https'

/** The scheme of the connection, or of a configured proxy's `X-Forwarded-Proto`. */
export function createClientScheme(isProxy: (address: string) => boolean): ClientScheme {
  return (request) => {
    const own = isEncrypted(request.socket) ? 'https' : 'http'
    if (!isProxy(plainAddress(request.socket.remoteAddress ?? ''))) return own
    const forwarded = valuesOf(request, 'x-forwarded-proto')
    if (forwarded.length === 0) return own
    return forwarded.length === 1 && forwarded[0] === 'https' ? 'https' : 'http'
  }
}

/** All values of one header field. Node's own views are objects of all fields, rebuilt for each request. */
function valuesOf({ rawHeaders }: IncomingMessage, folded: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === folded.length && name.toLowerCase() === folded) {
      values.push(rawHeaders[at + 1] ?? '')
    }
  }
  return values
}

/**
 * The network that counts as one client. A single subscriber line has a whole
 * IPv6 /64, so its addresses do not count as separate callers.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const front = head.split(':')
  const back = tail === undefined ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back].slice(0, 4).join(':')
}

/** The address in its own family: a dual-stack listener shows IPv4 as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
