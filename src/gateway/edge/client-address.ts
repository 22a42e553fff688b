import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Tells the address of the client that made a request. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * Trusts `X-Forwarded-For` only as far as its entries were written by
 * configured proxies: the client is the rightmost entry that is not one of
 * them, starting from the peer of the connection.
 *
 * @param trusted addresses or CIDRs, already checked
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return peer
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string): boolean =>
    proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (request) => {
    let address = peer(request)
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded === undefined) return address
    const entries = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',')
    while (isTrusted(address)) {
      const entry = plain(entries.pop()?.trim() ?? '')
      if (isIP(entry) === 0) return address
      address = entry
    }
    return address
  }
}

function peer(request: IncomingMessage): string {
  return plain(request.socket.remoteAddress ?? '')
}

/** IPv4 addresses arrive in IPv6 dress on a dual-stack listener. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
