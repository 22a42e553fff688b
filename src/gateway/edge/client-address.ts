import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Tells the address of the client that made a request. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Trusts `X-Forwarded-For` only as far as its entries were written by
 * configured proxies: the client is the rightmost entry that is not one of
 * them, starting from the peer of the connection.
 */
export function createClientAddress(isProxy: (address: string) => boolean): ClientAddress {
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    if (!isProxy(address)) return address
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded === undefined) return address
    const entries = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',')
    while (isProxy(address)) {
      const entry = plainAddress(entries.pop()?.trim() ?? '')
      if (isIP(entry) === 0) return address
      address = entry
    }
    return address
  }
}

/** The address in its own family: IPv4 arrives as `::ffff:a.b.c.d` on a dual-stack listener. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
