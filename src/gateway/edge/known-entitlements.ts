import type { Caller } from '../registry/registry.ts'
import type { Call } from './call.ts'
import type { Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'

/** The part of a call that determines its entitlement. */
export type EntitledCall = Pick<Call, 'caller' | 'operation' | 'published'>

/** Cache of recently found entitlements. */
export interface KnownEntitlements {
  /** Undefined if the cache has no entitlement that is valid at this time (milliseconds since 1970). */
  find(call: EntitledCall, nowMs: number): Entitlement | undefined
  keep(call: EntitledCall, entitlement: Entitlement): void
}

export interface KnownEntitlementsOptions {
  /** Per generation, of which there are two; about 0.6 KB each with a signed identity. (Default: 200,000) */
  readonly capacity?: number
}

/** The entitlements of one caller under one configuration. */
interface Kept {
  readonly published: Published
  /** By operation ordinal, sixteen per page: a catalogue may have a thousand operations, of which a caller uses five. */
  readonly pages: ((Entitlement | undefined)[] | undefined)[]
  /** Number of entitlements. */
  count: number
}

const pageSize = 16

/**
 * Entitlements stay the same for each caller and operation until the registry
 * reports a change (then the caller is a new object), a new configuration takes
 * effect, or an override ends. The cache keeps two generations, like a bounded
 * map; entries not used recently are found again.
 *
 * With many callers the entries are not in the CPU cache, so the number of
 * objects a look-up touches matters: lists by ordinal instead of a map save 1
 * µs per call.
 */
export function createKnownEntitlements({
  capacity = 200_000,
}: KnownEntitlementsOptions = {}): KnownEntitlements {
  let young = new WeakMap<Caller, Kept>()
  let old = new WeakMap<Caller, Kept>()
  let youngCount = 0

  function find({ caller, operation, published }: EntitledCall, nowMs: number) {
    const kept = young.get(caller) ?? renew(caller)
    if (kept?.published !== published) return undefined
    const { ordinal } = operation
    const found = kept.pages[Math.floor(ordinal / pageSize)]?.[ordinal % pageSize]
    if (found === undefined) return undefined
    return nowMs >= found.sinceMs && nowMs < found.untilMs ? found : undefined
  }

  function renew(caller: Caller): Kept | undefined {
    const kept = old.get(caller)
    if (kept === undefined) return undefined
    old.delete(caller)
    young.set(caller, kept)
    count(kept.count)
    return kept
  }

  function keep({ caller, operation, published }: EntitledCall, entitlement: Entitlement): void {
    let kept = young.get(caller) ?? renew(caller)
    // A caller may exist for months: this drops its entitlements of an old configuration.
    if (kept?.published !== published) {
      kept = { published, pages: [], count: 0 }
      young.set(caller, kept)
    }
    const page = Math.floor(operation.ordinal / pageSize)
    kept.pages[page] ??= Array<Entitlement | undefined>(pageSize).fill(undefined)
    kept.pages[page][operation.ordinal % pageSize] = entitlement
    kept.count += 1
    count(1)
  }

  function count(more: number): void {
    youngCount += more
    if (youngCount < capacity) return
    old = young
    young = new WeakMap()
    youngCount = 0
  }

  return { find, keep }
}
