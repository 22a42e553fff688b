import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, SocketAddress } from 'node:net'
import type { Logger } from '../log/log.ts'
import { isEncrypted } from './http-server.ts'

/** Returns the address of the client that made a request, or {@link unknownClient}. */
export type ClientAddress = (request: IncomingMessage) => string

/**
 * By how much a limit of a network is higher for unknown clients, who all share
 * it: what one does must not lock out the others, and guessing must stay
 * bounded.
 */
export const unknownClientsFactor = 10

/**
 * In place of an address that a trusted proxy did not give; the token of RFC
 * 7239, 6.2. No list of addresses contains it.
 */
export const unknownClient = 'unknown'

export interface ClientAddressOptions {
  readonly isProxy: (address: string) => boolean
  /** Called with the first entry of a trusted proxy that is not an address. */
  readonly onUnreadable: (entry: string) => void
}

/**
 * Trusts `X-Forwarded-For` only as far as configured proxies wrote its entries:
 * the client is the rightmost entry that is not a configured proxy, starting
 * from the peer of the connection. An entry that is not an address ends the walk,
 * and the client is unknown: the proxy before it is certainly not the client.
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
