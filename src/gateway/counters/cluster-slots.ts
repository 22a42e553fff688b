import type { RedisHost } from '../../platform/redis-address.ts'
import { slots } from './hash-slot.ts'

/** Which primary has which slots, as one node of a cluster sees it. */
export interface SlotRange {
  readonly first: number
  readonly last: number
  readonly primary: RedisHost
}

/**
 * Reads the answer of CLUSTER SLOTS: `[first, last, [host, port, …], …]` for
 * each range, the primary before its replicas. An empty or missing host is that
 * of the node asked.
 *
 * @throws when it is anything else
 */
export function readClusterSlots(answer: unknown, asked: RedisHost): SlotRange[] {
  if (!Array.isArray(answer)) throw new Error('CLUSTER SLOTS was not answered by a list')
  return answer.map((entry: unknown): SlotRange => {
    const [first, last, primary] = Array.isArray(entry) ? entry : []
    const [host, port] = Array.isArray(primary) ? primary : []
    const isRange = isSlot(first) && isSlot(last) && first <= last
    if (!isRange || !Number.isInteger(port))
      throw new Error('CLUSTER SLOTS has a range without form')
    const name = typeof host === 'string' && host !== '' ? host : asked.host
    return { first, last, primary: { host: name, port: Number(port) } }
  })
}

/**
 * The slot in which a node keeps its marker, out of those it has: the first in
 * an order that is the same everywhere and looks like chance. When some slots
 * move, the chance that this one is among them, or a new one comes before it,
 * is small; of the lowest slot it would be certain, for they move first.
 */
export function markerSlot(owned: Iterable<number>): number | undefined {
  let best: number | undefined
  let bestRank = slots
  for (const slot of owned) {
    // An odd factor permutes the residues of a power of two.
    const rank = (slot * 40_503) % slots
    if (rank < bestRank) {
      best = slot
      bestRank = rank
    }
  }
  return best
}

function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < slots
}
