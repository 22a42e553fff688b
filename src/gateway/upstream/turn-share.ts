/** Octets of unfinished answers that one turn of the event loop takes, over all connections. */
const octetsATurn = 524_288
/** Connections that go on in one turn; each reads at least once, up to 64 KiB. */
const connectionsATurn = 8

// All connections of a thread share one event loop, so its turns are counted here once, not for each pool.
let left = octetsATurn
let waiting: (() => void)[] = []
let isTurnCounted = false
let wasAccepted = false

/**
 * Shares the turns of the event loop among large answers. libuv reads up to 32
 * times from one socket before it looks at the next one, and at least once from
 * each, so the answers of a hundred slow readers, which wait in the kernel's
 * buffers, would be one turn of a second, during which no other call is answered.
 *
 * @param length octets of a read after which more of the answer is due
 * @param readOn called in a later turn if this one has had its share
 * @returns whether to go on reading in this turn
 */
export function hasTurnLeft(length: number, readOn: () => void): boolean {
  left -= length
  countTurn()
  if (left > 0) return true
  waiting.push(readOn)
  return false
}

/**
 * Makes this turn and the next one short. libuv accepts one connection a turn,
 * so a client waits as many turns as clients came before it.
 */
export function shortenTurn(): void {
  left = 0
  wasAccepted = true
  countTurn()
}

function countTurn(): void {
  if (isTurnCounted) return
  isTurnCounted = true
  setImmediate(nextTurn)
}

function nextTurn(): void {
  left = wasAccepted ? 1 : octetsATurn
  const next = waiting.slice(0, wasAccepted ? 1 : connectionsATurn)
  waiting = waiting.slice(next.length)
  isTurnCounted = false
  wasAccepted = false
  if (waiting.length > 0) countTurn()
  for (const readOn of next) readOn()
}
