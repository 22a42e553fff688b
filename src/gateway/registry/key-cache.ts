import { isDeepStrictEqual } from 'node:util'
import { createBoundedMap } from './bounded-map.ts'
import type { Change } from './changes.ts'
import type { KeyRecord } from './key-record.ts'

/** A moment in the life of the cache: what is asked after it has seen every change applied before it. */
export interface Mark {
  /** Monotonic milliseconds. */
  readonly at: number
  /** How many changes had been applied. */
  readonly sequence: number
}

export interface CachedKey {
  /** Undefined: there is no such key. */
  readonly record: KeyRecord | undefined
  /** When the look-up it comes from began. */
  readonly mark: Mark
  /** Monotonic milliseconds before which nobody needs to look again. */
  refreshAt: number
  /** The last minute of use that was noted (minutes since 1970). */
  usedMinute: number
  /** SHA-256 of the key that was found to be the recorded one; undefined before. */
  proven: Buffer | undefined
}

/**
 * What the gateway remembers of keys, and for how long it may.
 *
 * Every entry carries the mark of its look-up's beginning. A change that is
 * applied later outdates it, no matter when the answer arrives: a look-up
 * begun before a revocation can never bring the key back.
 */
export interface KeyCache {
  mark(): Mark
  /** Undefined when nothing is known that may still be served. */
  find(id: string): CachedKey | undefined
  /**
   * Keeps the answer of a look-up begun at `mark`. Returns the entry, or
   * undefined when a change has outdated the answer: then look again.
   */
  keep(id: string, record: KeyRecord | undefined, mark: Mark): CachedKey | undefined
  /** Applies a change of the feed. */
  apply(change: Change): void
  /** Outdates everything: changes may have been missed. */
  forgetAll(): void
  readonly size: number
}

export interface KeyCacheOptions {
  /** Monotonic milliseconds. */
  readonly monotonicNow: () => number
  /** Known keys in each of two generations; about 0.5 KB each. (Default: 100,000) */
  readonly capacity?: number
}

/** How long a known key is served without asking again. */
const freshMs = 30_000
/** How long it is served when asking fails. */
const servableMs = 300_000
/** How long an unknown id stays unknown. */
const unknownMs = 5_000
/** Strangers must not push known keys out, so they have a map of their own. */
const unknownCapacity = 10_000
/** Changes remembered one by one; more at once and everything is outdated instead. */
const changesMax = 50_000

export function createKeyCache({ monotonicNow, capacity = 100_000 }: KeyCacheOptions): KeyCache {
  const known = createBoundedMap<CachedKey>({ capacity })
  const unknown = createBoundedMap<CachedKey>({ capacity: unknownCapacity })
  // By id, when each was changed last. Insertion order is age.
  const changedKeys = new Map<string, Mark>()
  const changedApplications = new Map<string, Mark>()
  const changedDevelopers = new Map<string, Mark>()
  const revokedKeys = new Map<string, Mark>()
  let sequence = 0
  let forgottenBefore = 0

  function isOutdated(id: string, record: KeyRecord | undefined, mark: Mark): boolean {
    if (mark.sequence < forgottenBefore) return true
    if (mark.sequence === sequence) return false
    return (
      isLater(changedKeys.get(id), mark) ||
      (record !== undefined &&
        (isLater(changedApplications.get(record.caller.applicationId), mark) ||
          isLater(changedDevelopers.get(record.developerId), mark)))
    )
  }

  function note(changes: Map<string, Mark>, id: string, mark: Mark): void {
    changes.delete(id)
    changes.set(id, mark)
    // Whatever was looked up before the oldest of them is too old to be served.
    for (const [oldest, { at }] of changes) {
      if (mark.at - at <= servableMs * 2) break
      changes.delete(oldest)
    }
    if (changes.size > changesMax) forgetAll()
  }

  function forgetAll(): void {
    sequence += 1
    forgottenBefore = sequence
    known.clear()
    unknown.clear()
    changedKeys.clear()
    changedApplications.clear()
    changedDevelopers.clear()
    // Tombstones stay: no key comes back from a revocation.
    while (revokedKeys.size > changesMax) {
      const [oldest] = revokedKeys.keys()
      if (oldest !== undefined) revokedKeys.delete(oldest)
    }
  }

  return {
    mark: () => ({ at: monotonicNow(), sequence }),

    find(id) {
      const entry = known.get(id) ?? unknown.get(id)
      if (entry === undefined) return undefined
      const age = monotonicNow() - entry.mark.at
      const limit = entry.record === undefined && !revokedKeys.has(id) ? unknownMs : servableMs
      if (age < limit && !isOutdated(id, entry.record, entry.mark)) return entry
      known.delete(id)
      unknown.delete(id)
      return undefined
    },

    keep(id, found, mark) {
      const record = revokedKeys.has(id) ? undefined : found
      if (isOutdated(id, record, mark)) return undefined
      const refreshAt = mark.at + freshMs
      const before = known.get(id)
      // The same caller goes on being the same object: others keep what they derive from it.
      const isSame = before !== undefined && isDeepStrictEqual(before.record, record)
      const entry: CachedKey = isSame
        ? { ...before, mark, refreshAt }
        : { record, mark, refreshAt, usedMinute: 0, proven: undefined }
      known.delete(id)
      unknown.delete(id)
      const map = record === undefined ? unknown : known
      map.set(id, entry)
      return entry
    },

    apply(change) {
      sequence += 1
      const mark = { at: monotonicNow(), sequence }
      const { kind, action, developerId, applicationId, keyId } = change
      if (kind === 'key' && keyId !== undefined) {
        note(changedKeys, keyId, mark)
        if (action !== 'revoke') return
        note(revokedKeys, keyId, mark)
        known.delete(keyId)
        // Known to be gone, so even an outage does not turn its refusal into "cannot tell".
        unknown.set(keyId, {
          record: undefined,
          mark,
          refreshAt: Number.POSITIVE_INFINITY,
          usedMinute: 0,
          proven: undefined,
        })
      } else if (kind === 'developer' && developerId !== undefined) {
        note(changedDevelopers, developerId, mark)
      } else if (kind !== 'counter' && applicationId !== undefined) {
        note(changedApplications, applicationId, mark)
      }
    },

    forgetAll,

    get size() {
      return known.size + unknown.size
    },
  }
}

function isLater(change: Mark | undefined, mark: Mark): boolean {
  return change !== undefined && change.sequence > mark.sequence
}
