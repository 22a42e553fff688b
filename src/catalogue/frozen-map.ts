/**
 * Creates a map that cannot change, even past its type: `Object.freeze` does
 * not reach the entries of a Map, so the Map stays in a closure and callers get
 * only its reading methods. Keeps the order of the entries.
 */
export function frozenMap<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const map = new Map(entries)
  const view: ReadonlyMap<K, V> = {
    get size() {
      return map.size
    },
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    keys: () => map.keys(),
    values: () => map.values(),
    entries: () => map.entries(),
    [Symbol.iterator]: () => map[Symbol.iterator](),
    forEach: (callback, self) => {
      for (const [key, value] of map) callback.call(self, value, key, view)
    },
  }
  return Object.freeze(view)
}
