// This folder has what every role builds on. `settings/` reads the settings, `http/` has listeners and the error table,
// `database/` and `redis/` connect to the stores, `log/` writes the log, and `process/` has jobs, health and shutdown.
// The loose files are small and have no subject of their own: collections, counts, distances and marks in texts, and
// waiting. Nothing here imports another room. The tables of settings, errors and security events name what other rooms
// do; nothing here does it.

/** A map that drops entries not used recently instead of growing. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
  clear(): void
  /** At most twice the capacity. */
  readonly size: number
}

/**
 * Keeps two generations of at most `capacity` entries. When the younger is
 * full, the older is dropped and the younger takes its place. Reading an entry
 * of the older generation moves it to the younger. So the last `capacity` keys
 * used are always present, at a cost of at most two look-ups and without a
 * list.
 */
export function createBoundedMap<Value>({ capacity }: { capacity: number }): BoundedMap<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    old.delete(key)
    young.set(key, value)
    if (young.size < capacity) return
    old = young
    young = new Map()
  }

  return {
    get(key) {
      const recent = young.get(key)
      if (recent !== undefined) return recent
      const found = old.get(key)
      if (found !== undefined) set(key, found)
      return found
    },
    set,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young = new Map()
      old = new Map()
    },
    get size() {
      return young.size + old.size
    },
  }
}
