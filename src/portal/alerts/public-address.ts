import { BlockList, isIP } from 'node:net'
import { plainAddress } from '../../platform/http/client-address.ts'

/**
 * Whether an address belongs to the public internet. Everything else is
 * refused to webhooks: their addresses are chosen by developers, and the portal
 * is inside the bank's network.
 *
 * IPv6 addresses outside 2000::/3 are not public: loopback, link-local,
 * unique local, multicast, and those that hold an IPv4 address (`::ffff:0:0/96`
 * is read as IPv4, NAT64 `64:ff9b::/96` is refused).
 */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address)
  const family = isIP(plain)
  if (family === 4) return !special4.check(plain, 'ipv4')
  return family === 6 && global6.check(plain, 'ipv6') && !special6.check(plain, 'ipv6')
}

/** IANA's special-purpose registry of IPv4, with multicast and what is reserved. */
const special4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])

const global6 = listOf('ipv6', [['2000::', 3]])

/** The rest of IANA's registry within 2000::/3: Teredo, benchmarking, documentation, 6to4. */
const special6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
])

function listOf(family: 'ipv4' | 'ipv6', entries: readonly (readonly [string, number])[]) {
  const list = new BlockList()
  for (const [network, bits] of entries) list.addSubnet(network, bits, family)
  return list
}
