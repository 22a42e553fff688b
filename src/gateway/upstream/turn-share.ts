/** Octets of unfinished answers that one turn of the event loop takes, over all connections. */
const octetsATurn = 1_048_576

let left = octetsATurn
let waiting: (() => void)[] = []
let isTurnCounted = false

/**
 * Shares the turns of the event loop among large answers. libuv reads up to 32
 * times from one socket before it looks at the next one, so the answers of a
 * hundred slow readers, which wait in the kernel's buffers, would be one turn of
 * a second, during which no other call is answered.
 *
 * @param length octets of a read after which more of the answer is due
 * @param readOn called in the next turn if this one has had its share
 * @returns whether to go on reading in this turn
 */
export function hasTurnLeft(length: number, readOn: () => void): boolean {
  left -= length
  if (!isTurnCounted) {
    isTurnCounted = true
    setImmediate(nextTurn)
  }
  if (left > 0) return true
  waiting.push(readOn)
  return false
}

function nextTurn(): void {
  left = octetsATurn
  isTurnCounted = false
  const before = waiting
  waiting = []
  for (const readOn of before) readOn()
}
