/** Numbers that a seed determines, so that a run can be had again. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number of the range, both ends included. */
  between(low: number, high: number): number
  /** One of a list. @throws when it is empty */
  pick<T>(list: readonly T[]): T
}

/** Draws whole numbers from 0 to below `limit`. */
export type Draw = (limit: number) => number

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

/** Makes a generator for a reproducible workload; not for anything secret. */
export function createDraw(seed: number): Draw {
  const { next } = createRandom(seed, '')
  return (limit) => Math.floor(next() * limit)
}

/** A UUID of version 4. */
export function drawUuid(draw: Draw): string {
  const hex = Array.from({ length: 32 }, () => draw(16).toString(16)).join('')
  const variant = '89ab'.charAt(draw(4))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
