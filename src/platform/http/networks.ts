import { BlockList, isIP } from 'node:net'

/** Whether a text is an IP address or a CIDR: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = isIP(address)
  const bitsMax = family === 6 ? 128 : 32
  return (
    family !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
  )
}

/**
 * Creates a function that decides whether an address is in one of the
 * networks.
 *
 * @param entries addresses or CIDRs, already checked
 */
export function createNetworks(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => false
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
