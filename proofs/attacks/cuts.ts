import type { Draw } from '../../test/support/random.ts'
import type { Cut } from './send.ts'

/** Every octet in its own write. */
export const octetByOctet: Cut = () => 1

/** Pieces of a few octets, and now and then a large one. */
export function atRandom(draw: Draw): Cut {
  return (left) => 1 + draw(draw(3) === 0 ? left : Math.min(left, 12))
}
