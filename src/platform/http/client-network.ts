import { isIPv6 } from 'node:net'
import { plainAddress } from './client-address.ts'

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

/**
 * By how much a limit of a network is higher for unknown clients, who all share
 * it: what one does must not lock out the others, and guessing must stay
 * bounded.
 */
export const unknownClientsFactor = 10
