import type { RedisHost } from '../../../../platform/redis/redis-address.ts'
import type { MarkerPlace } from '../grant-script.ts'
import { slots, tagOfSlot } from './hash-slot.ts'

/** A range of slots and its primary, as one cluster node sees it. */
export interface SlotRange {
  readonly first: number
  readonly last: number
  readonly primary: RedisHost
}

/**
 * Reads the reply to CLUSTER SLOTS: `[first, last, [host, port, …], …]` for
 * each range, with the primary before its replicas. An empty or missing host
 * means the node that replied.
 *
 * @throws when the reply has another form
 */
export function readClusterSlots(answer: unknown, asked: RedisHost): SlotRange[] {
  if (!Array.isArray(answer)) throw new Error('the reply to CLUSTER SLOTS is not a list')
  return answer.map((entry: unknown): SlotRange => {
    const [first, last, primary] = Array.isArray(entry) ? entry : []
    const [host, port] = Array.isArray(primary) ? primary : []
    const isRange = isSlot(first) && isSlot(last) && first <= last
    if (!isRange || !Number.isInteger(port))
      throw new Error('CLUSTER SLOTS contains a malformed range')
    const name = typeof host === 'string' && host !== '' ? host : asked.host
    return { first, last, primary: { host: name, port: Number(port) } }
  })
}

/**
 * The slot in which a node keeps its marker: the first of its slots in a fixed
 * pseudo-random order. When some slots move, the marker's slot is rarely among
 * them, and a new slot rarely comes before it. The lowest slot would be a bad
 * choice, because resharding moves low slots first.
 */
export function markerSlot(owned: Iterable<number>): number | undefined {
  let best: number | undefined
  let bestRank = slots
  for (const slot of owned) {
    // Multiplying by an odd factor permutes the residues of a power of two.
    const rank = (slot * 40_503) % slots
    if (rank < bestRank) {
      best = slot
      bestRank = rank
    }
  }
  return best
}

/** The place of a marker in this slot. */
export function placeInSlot(slot: number): MarkerPlace {
  const tag = tagOfSlot(slot)
  return {
    key: `tollgate:marker:{${tag}}`,
    probe: { bucket: `tollgate:probe:{${tag}}:1`, windowLength: 1 },
  }
}

function isSlot(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < slots
}
