import { isIP, isIPv6, SocketAddress } from 'node:net'
import type { Logger } from '../log/log.ts'
import { type RawRequest, valuesOf } from './header-values.ts'

/** Returns the address of the client that made a request, or {@link unknownClient}. */
export type ClientAddress = (request: RawRequest) => string

/**
 * In place of an address that a trusted proxy did not give; the token of RFC
 * 7239, 6.2. No list of addresses contains it.
 */
export const unknownClient = 'unknown'

export interface ClientAddressOptions {
  readonly isProxy: (address: string) => boolean
  /** Called once, with the first entry that is not an address, or with `Forwarded` when a proxy wrote only that field. */
  readonly onUnreadable: (entry: string) => void
}

/**
 * Trusts `X-Forwarded-For` only as far as configured proxies wrote its entries:
 * the client is the rightmost entry that is not a configured proxy, starting
 * from the peer of the connection. An entry that is not an address ends the walk,
 * and the client is unknown: the proxy before it is certainly not the client. So
 * it is when a proxy wrote only `Forwarded`, which is not read. With neither
 * field the client is the peer. If all entries are proxies, it is the leftmost.
 */
export function createClientAddress({
  isProxy,
  onUnreadable,
}: ClientAddressOptions): ClientAddress {
  let wasTold = false
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    if (!isProxy(address)) return address
    const forwarded = valuesOf(request, 'x-forwarded-for')
    if (forwarded.length === 0) {
      // The proxy names the client in a field that is not read.
      return valuesOf(request, 'forwarded').length === 0 ? address : unknown('Forwarded')
    }
    const entries = forwarded.join(',').split(',')
    while (isProxy(address)) {
      const entry = entries.pop()?.trim()
      if (entry === undefined) return address
      // RFC 9110, 5.6.1: empty elements of a list mean nothing.
      if (entry === '') continue
      const told = addressOf(entry)
      if (told === undefined) return unknown(entry)
      address = told
    }
    return address
  }

  function unknown(entry: string): string {
    if (!wasTold) onUnreadable(entry)
    wasTold = true
    return unknownClient
  }
}

/** Logs the first entry of a trusted proxy that is not an address, with what to do. */
export function warnOfUnknownClient(log: Pick<Logger, 'warn'>): (entry: string) => void {
  return (entry) =>
    log.warn(
      { entry: entry.slice(0, 100) },
      "a proxy of TRUSTED_PROXIES wrote an X-Forwarded-For entry that is not an address, or only Forwarded, so the client is unknown: no list of allowed addresses contains it, and all unknown clients share limits. Let the proxy write X-Forwarded-For with the client's address, with or without a port. This is logged once",
    )
}

/** The address in an entry. Some proxies write a port after it, and brackets around one of IPv6. */
function addressOf(entry: string): string | undefined {
  const [, bracketed, plain = ''] = withPort.exec(entry) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed) ? oneSpelling(bracketed) : undefined
  if (isIPv6(entry)) return oneSpelling(entry)
  return [entry, plain].find((each) => isIP(each) === 4)
}

/** Limits count by the spelling of an address. */
function oneSpelling(address: string): string {
  const [bare = ''] = address.split('%')
  return plainAddress(new SocketAddress({ address: bare, family: 'ipv6' }).address)
}

/** `[2001:db8::7]`, `[2001:db8::7]:443` and `192.0.2.7:443`. */
const withPort = /^(?:\[([\da-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/i

/** The address in its own family: a dual-stack listener shows IPv4 as `::ffff:a.b.c.d`. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}
