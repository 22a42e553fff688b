/** Numbers that a seed determines, so that a run can be had again. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number of the range, both ends included. */
  between(low: number, high: number): number
  /** One of a list. @throws when it is empty */
  pick<T>(list: readonly T[]): T
}

/** Makes a stream of its own for each name, so that one experiment alone draws what it drew among all (mulberry32). */
export function createRandom(seed: number, name: string): Random {
  let state = seed >>> 0
  for (const char of name) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193) >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick(list) {
      const found = list[Math.floor(next() * list.length)]
      if (found === undefined) throw new Error('nothing to pick from')
      return found
    },
  }
}
