import { isNetwork } from '../../platform/http/networks.ts'
import { RegistryInputInvalid } from '../registry-errors.ts'

/** The most entries of one key. */
export const allowedAddressesMax = 20

/** What the list must be; completes "must be …". */
export const allowedAddressesRule = `a list of at most ${allowedAddressesMax} IP addresses or CIDRs, for example 192.0.2.7 or 2001:db8::/32`

/**
 * The addresses from which a key may be used, as they are stored: each once.
 *
 * @throws {RegistryInputInvalid}
 */
export function plainAddresses(given: readonly string[]): string[] {
  const addresses = [...new Set(given.map((address) => address.trim().toLowerCase()))]
  if (addresses.length > allowedAddressesMax || !addresses.every(isNetwork)) {
    throw new RegistryInputInvalid('allowedAddresses', allowedAddressesRule)
  }
  return addresses
}
