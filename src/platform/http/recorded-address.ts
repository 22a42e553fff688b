import { plainAddress, unknownClient } from './client-address.ts'
import { networkOf } from './client-network.ts'

/** How much of client addresses RECORD_ADDRESSES keeps. */
export const addressModes = ['full', 'truncated', 'off'] as const
export type AddressMode = (typeof addressModes)[number]

/**
 * Creates the function that reduces a client's address to what may be recorded:
 *
 * | Mode | 203.0.113.77 | 2001:db8:12:34:5::1 |
 * |---|---|---|
 * | `full` | 203.0.113.77 | 2001:db8:12:34:5::1 |
 * | `truncated` | 203.0.113.0/24 | 2001:db8:12::/48 |
 * | `off` | undefined | undefined |
 *
 * Several subscribers share what is left of a truncated address, so it does not
 * name one (our choice: the lengths that web analytics use). An unknown client
 * has no address in any mode.
 */
export function createRecordedAddress(mode: AddressMode): (address: string) => string | undefined {
  if (mode === 'off') return () => undefined
  return (address) => {
    if (address === unknownClient) return undefined
    if (mode === 'full') return plainAddress(address)
    const plain = plainAddress(address)
    if (!plain.includes(':')) return plain.replace(/\.\d+$/, '.0/24')
    return `${networkOf(plain).split(':').slice(0, 3).join(':')}::/48`
  }
}
