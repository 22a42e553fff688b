import type { Caller } from '../registry/registry.ts'
import type { Call } from './call.ts'
import type { Entitlement } from './entitlement.ts'
import type { Published } from './published.ts'

/** What of a call says which entitlement it needs. */
export type EntitledCall = Pick<Call, 'caller' | 'operation' | 'published'>

/** The entitlements found lately. */
export interface KnownEntitlements {
  /** Undefined when none is known that holds at this time (milliseconds since 1970). */
  find(call: EntitledCall, nowMs: number): Entitlement | undefined
  keep(call: EntitledCall, entitlement: Entitlement): void
}

export interface KnownEntitlementsOptions {
  /** In each of two generations; with a signed identity about 0.6 KB each. (Default: 200,000) */
  readonly capacity?: number
}

/** What a caller keeps of a configuration. */
interface Kept {
  readonly published: Published
  /** By the ordinals of operations, sixteen to a page: a catalogue may have a thousand, of which a caller uses five. */
  readonly pages: ((Entitlement | undefined)[] | undefined)[]
  /** How many have been put in. */
  count: number
}

const pageSize = 16

/**
 * Entitlements are the same for every call of a caller to an operation until
 * the registry hears of a change (then the caller is another one), a
 * configuration is taken into force, or an override ends. Two generations are
 * kept, as in a bounded map: what was not asked for lately is found anew.
 *
 * With many callers none of it is in a cache of the processor, so what counts is
 * how many objects a look touches: lists by ordinal instead of a map of
 * operations, measured 1 µs of a call.
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
    // A caller may stay for months: what it keeps of a configuration goes with it.
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
